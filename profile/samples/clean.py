#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Removes from recorded samples the traces of where they were recorded.

    clean.py ROOT FILE…

Paths below ROOT become relative to it and the program loses its folder; host names, the UUIDs of
GPUs and the text of files outside ROOT (headers of libraries) are removed. Measured values stay
unchanged."""
import gzip
import json
import sys

root = sys.argv[1].rstrip("/") + "/"
for path in sys.argv[2:]:
    with gzip.open(path, "rt") as file:
        profile = json.load(file)
    for process in profile["processes"]:
        process.pop("host", None)
        if samples := process.get("cpu_samples"):
            samples["texts"] = [text.removeprefix(root) for text in samples["texts"]]
    for device in profile["devices"]:
        device.pop("uuid", None)
    for source in profile.get("sources", []):
        source["files"] = [f.removeprefix(root) for f in source["files"]]
        source["texts"] = [t for t in source.get("texts", [])
                           if not source["files"][t["file"]].startswith("/")]
    for site in profile.get("call_sites", []):
        for place in (site, site.get("forward", {})):
            for key in ("file", "module"):
                if key in place:
                    place[key] = place[key].removeprefix(root)
    capture = profile["capture"]
    capture["command"] = [a.removeprefix(root) for a in capture.get("command", [])]
    if capture["command"] and capture["command"][0].startswith("/"):
        capture["command"][0] = capture["command"][0].rpartition("/")[2]
    lines = ",\n".join(f"{json.dumps(k)}:{json.dumps(v, ensure_ascii=False, separators=(',', ':'))}"
                       for k, v in profile.items())
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
        file.write(("{" + lines + "}\n").encode())
