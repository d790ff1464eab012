import json, os, subprocess, sys, glob, shutil
def cfg(spool, out, kernel, ordinal):
    json.dump({"mode":"capture","signature":None,"ordinal":ordinal,"limitBytes":4<<30,"folder":out,
     "selection":{"kernel":kernel,"ranges":[],"notRanges":[],"autotuning":False,"devices":[],"skip":0,"count":None,"fromStart":True},
     "tuningFolder":"","tuned":False,"flushCaches":False}, open(spool+"/configuration.json","w"))
def capture(kernel, ordinal, out, cmd, lib):
    shutil.rmtree(out, ignore_errors=True); os.makedirs(out)
    spool = out + "/spool"; os.makedirs(spool)
    cfg(spool, out, kernel, ordinal)
    env = dict(os.environ, CUDA_INJECTION64_PATH=lib, ROOFSCOPE_SPOOL_DIR=spool)
    r = subprocess.run(cmd, env=env, capture_output=True, text=True, timeout=60)
    print(kernel, "rc", r.returncode, r.stdout[-200:], r.stderr[-300:])
    for f in glob.glob(spool+"/*.spool")+glob.glob(spool+"/*"):
        if "configuration" in f or os.path.isdir(f): continue
        for l in open(f, errors="replace"):
            if "refused" in l or "issue" in l: print("  spool:", l.strip()[:300])
    dirs = glob.glob(out + "/capture-*")
    if not dirs: print("  NOTHING CAPTURED", os.listdir(out)); return None
    d = dirs[0]; f = json.load(open(d + "/capture.json"))
    f.update(format="roofscope-launch", version=1, name=f["symbol"], program_ns=None)
    json.dump(f, open(d + "/launch.json", "w"))
    print("  regions", [(m["address"], m["bytes"], m["kind"]) for m in f["memory"]], "vars", f["variables"], "notes", f["notes"], "params", [(p["bytes"], p["value"][:32]) for p in f["parameters"]])
    print("  size", sum(os.path.getsize(d+"/"+x) for x in os.listdir(d)))
    return d
