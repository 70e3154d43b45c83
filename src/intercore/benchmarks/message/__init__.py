"""The benchmark `message`: what it costs to move a message between cores, by every transport and size.

Timed from the begin of the send to the end of the receive.
"""
