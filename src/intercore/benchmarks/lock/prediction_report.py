"""What is read of the prediction of a lock: the same as of any event."""

from __future__ import annotations

from intercore.benchmarks.event_prediction_report import prediction_rows, prediction_section

__all__ = ["prediction_rows", "prediction_section"]
