# SPDX-License-Identifier: Apache-2.0
"""More hardware queues for streams."""

TITLE = "Use 32 hardware queues"
DOES = "Streams share 32 hardware queues, not 8: fewer of them wait for each other by accident."
FRAMEWORK = "cuda"
SUGGESTED_BY = ("copy-not-overlapped", "launch-gaps")
SETTLES = ()
CHANGES = "Nothing but the order in which independent streams run."
KEEP = "CUDA_DEVICE_MAX_CONNECTIONS=32"
ENVIRONMENT = {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}
