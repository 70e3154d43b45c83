"""The phases of an exchange: which there are ways to, and which there is no way back from."""

from __future__ import annotations

from intercore.link.phase import TRANSITIONS, Event, Phase


def after(*events: Event) -> Phase:
    phase = Phase.ASKING
    for event in events:
        phase = TRANSITIONS.get((phase, event), phase)
    return phase


def test_a_question_is_answered_without_a_run() -> None:
    assert after(Event.RESULT) is Phase.RECEIVING
    assert after(Event.RESULT, Event.RESULT, Event.LAST) is Phase.COMPLETE


def test_a_run_computes_until_the_first_line_of_its_result() -> None:
    assert after(Event.STARTED, Event.STARTED, Event.PROGRESS) is Phase.RUNNING
    assert after(Event.STARTED, Event.RESULT, Event.LAST) is Phase.COMPLETE


def test_a_target_that_sends_its_first_line_again_is_done_and_one_that_is_busy_is_not() -> None:
    poked = (Event.STARTED, Event.KEEPALIVE)
    assert after(*poked) is Phase.PROBED
    assert after(*poked, Event.PROGRESS) is Phase.PROBED
    assert after(*poked, Event.STARTED) is Phase.RECEIVING
    assert after(*poked, Event.BUSY) is Phase.RUNNING


def test_a_target_that_is_busy_all_the_same_is_left_alone_again() -> None:
    assert after(Event.STARTED, Event.KEEPALIVE, Event.STARTED, Event.BUSY) is Phase.RUNNING


def test_nothing_is_forgotten_once_it_has_begun_or_is_complete() -> None:
    assert Phase.ASKING not in TRANSITIONS.values()
    assert not any(phase is Phase.COMPLETE for phase, _ in TRANSITIONS)
    assert {phase for phase, _ in TRANSITIONS} == set(Phase) - {Phase.COMPLETE}
    assert {event for _, event in TRANSITIONS} == set(Event)
