"""Settings for all tests: hypothesis runs the same examples in CI every time, and waits for kernels to compile."""

import os
import signal

from hypothesis import HealthCheck, settings

_patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", _patient)
settings.register_profile("ci", _patient, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# Begun under nohup or with a shell's `&`: what tests start would inherit that signals are ignored, and some send them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
