#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# with_gpu.sh ROOFSCOPE COMMAND…: runs COMMAND if ROOFSCOPE's doctor says that counters can be read,
# else exits with 77 (skipped).
roofscope=$1
shift
if ! "$roofscope" doctor >/dev/null 2>&1; then
    echo "skipped: no GPU whose counters can be read here (roofscope doctor tells why)"
    exit 77
fi
exec "$@"
