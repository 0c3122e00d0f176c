"""What a file's own validator says of it, and what the files have to have in common."""

import glob
import os
import re
import subprocess
import tempfile
import textwrap

import yaml

from checks import ROOT

DEPLOY = f"{ROOT}/Deploy"


class Wrong(Exception):
    pass


def demand(holds, what):
    if not holds:
        raise Wrong(f"not so: {what}")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    demand(done.returncode == 0, f"{' '.join(command)} ends with 0\n{done.stdout}{done.stderr}")
    return done.stdout


def read(name):
    with open(f"{DEPLOY}/{name}") as file:
        return file.read()


def check_images():
    texts = {name: read(name) for name in ["container/Containerfile", "compose/compose.yaml"]}
    images = re.findall(r"^(?:FROM|\s+image:) (\S+)", "\n".join(texts.values()), re.M)
    demand(len(images) > 4, "images are found")
    for image in images:
        demand(re.search(r":\d[\w.-]*$", image), f"{image} has an exact version")
    texts["jobs"] = read("kubernetes/jobs/rebuild.yaml")
    with open(f"{ROOT}/Sources/parley/Build.swift") as file:
        version = re.search(r'version = "([^"]+)"', file.read())[1]
    demand(f"image: parley:{version}\n" in texts["compose/compose.yaml"], f"compose.yaml runs version {version}")
    for place in ["base", "example"]:
        demand(f"newTag: {version}\n" in read(f"kubernetes/{place}/kustomization.yaml"), f"{place} runs version {version}")
    demand(f"parley:{version}\n" in texts["jobs"], f"rebuild.yaml runs version {version}")
    for line in read("compose/.env.example").splitlines():
        if re.search("PASSWORD|KEY", line) and not line.startswith("#"):
            demand(line.endswith("="), f"no secret in .env.example: {line}")
    tracked = run("git", "ls-files", "*.env", "*/.env", cwd=ROOT)
    demand(tracked == "", f"no .env is committed: {tracked}")


def check_container():
    run("hadolint", "--failure-threshold", "style", f"{DEPLOY}/container/Containerfile")
    last = read("container/Containerfile").split("\nFROM ")[-1]
    demand(re.search(r"^USER [1-9]\d*:[1-9]\d*$", last, re.M), "the last stage runs as a number that is not root's")
    demand(re.search(r'^HEALTHCHECK .* CMD \["parley", "health"\]$', last, re.M), "its health check is `parley health`")


def check_libraries(program):
    """What the stages install is what the build needs, and what the program's libraries come from."""
    stages = [set(re.findall(r"\blib[\w.+-]+|pkg-config|zlib1g-dev|ca-certificates", block.replace("\n", " ")))
              for block in re.findall(r"apt-get install -y --no-install-recommends(.*?)&& rm", read("container/Containerfile"), re.S)]
    listed = re.search(r"^missing_packages\(\) \{(.*?)^\}", read("packages"), re.M | re.S)[1]
    needed = set(re.findall(r"\|\| echo ([\w.-]+)$", listed, re.M)) - {"postgresql"}
    demand(stages[0] == needed, f"the first stage installs what Deploy/packages does: {stages[0] ^ needed}")
    options = ["--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances"]
    closure = set(re.findall(r"^\S+", run("apt-cache", "depends", "--recurse", *options, *stages[1]), re.M))
    helper = f"{os.path.dirname(program)}/parley-image"
    for library in re.findall(r"=> (/\S+) \(0x", run("ldd", program) + run("ldd", helper)):
        # Of the debug build: Swift's own are linked into the release.
        if "/swift/" in library:
            continue
        # Packages name a file by the path of before /lib led to /usr/lib, or by the one of after it.
        paths = {path for name in [library, os.path.realpath(library)] for path in [name, name.removeprefix("/usr"), f"/usr{name}"]}
        found = subprocess.run(["dpkg", "-S", *sorted(paths)], capture_output=True, text=True).stdout
        package = found.split(":")[0]
        demand(package in closure, f"{library} is of a package that the last stage installs: {package or 'none'}")


def check_compose():
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", f"{DEPLOY}/compose/compose.yaml")
    text = read("compose/compose.yaml")
    used = set(re.findall(r"\$\{(\w+)", text))
    known = set(re.findall(r"^(\w+)=", read("compose/.env.example"), re.M))
    demand(used == known, f".env.example has the variables of compose.yaml: {used ^ known}")
    services = yaml.safe_load(text)["services"]
    for name in ["migrate", "parley"]:
        service = services[name]
        demand(service["read_only"] and service["cap_drop"] == ["ALL"], f"{name} may do little")
        demand(("PARLEY_MIGRATE_URL" in service["environment"]) == (name == "migrate"), "only `migrate` may change tables")


def hardening(unit):
    return [line for line in read(f"systemd/{unit}").split("# What it may do.")[1].split("\n[Install]")[0].splitlines()
            if line and not line.startswith("#")]


def check_units(program):
    units = sorted(os.path.basename(path) for path in glob.glob(f"{DEPLOY}/systemd/*.service"))
    demand(len(units) == 3, "there are three units")
    with tempfile.TemporaryDirectory() as directory:
        for unit in units:
            text = read(f"systemd/{unit}")
            with open(f"{directory}/{unit}", "w") as file:
                file.write(text.replace("/usr/local/bin/parley", program))
            run("systemd-analyze", "verify", "--man=no", f"{directory}/{unit}")
            run("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20", f"{directory}/{unit}")
    for unit in units:
        head = read(f"systemd/{unit}").split("[Service]")[0].split("[Unit]")[1].splitlines()
        demand("StartLimitIntervalSec=0" in head, f"{unit} is started again however long PostgreSQL is away")
        missing = [line for line in hardening(unit) if line not in hardening("parley.service")]
        demand(not missing, f"{unit} may do no more than parley.service: {missing}")
    demand(set(hardening("parley.service")) - set(hardening("parley@.service")) == {"SystemCallFilter=capset"},
           "parley.service may do one thing more, for its PostgreSQL")


def validate(path):
    run("kubernetes-validate", "--strict", "--kubernetes-version", "1.31", path)


def check_kubernetes():
    with tempfile.TemporaryDirectory() as directory:
        for place in ["base", "example"]:
            built = f"{directory}/{place}.yaml"
            with open(built, "w") as file:
                file.write(run("kubectl", "kustomize", f"{DEPLOY}/kubernetes/{place}"))
            validate(built)
            with open(built) as file:
                check_objects([document for document in yaml.safe_load_all(file) if document])


def check_objects(objects):
    """That names lead somewhere, how many of each there are, and that they may do little."""
    by_kind = {}
    for item in objects:
        by_kind.setdefault(item["kind"], []).append(item)
    workloads = {item["metadata"]["name"]: item["spec"] for item in by_kind["Deployment"]}
    demand({name: spec["replicas"] for name, spec in workloads.items()} == {"parley": 2, "parley-project": 1},
           "there are two servers and a projector")
    maps = {item["metadata"]["name"] for item in by_kind["ConfigMap"]}
    for ingress in by_kind.get("Ingress", []):
        paths = {path["path"]: path["backend"]["service"]["name"] for path in ingress["spec"]["rules"][0]["http"]["paths"]}
        services = {item["metadata"]["name"] for item in by_kind["Service"]}
        demand(paths["/"] in services and paths["/readyz"] not in services, "the ingress passes on everything but readiness")
    for name, spec in workloads.items():
        pod = spec["template"]
        demand(spec["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items(), f"{name} selects its pods")
        for container in pod["spec"]["containers"] + pod["spec"]["initContainers"]:
            for source in container["envFrom"]:
                if "configMapRef" in source:
                    demand(source["configMapRef"]["name"] in maps, f"{name} has its settings")
            locked = container["securityContext"]
            demand(locked["readOnlyRootFilesystem"] and not locked["allowPrivilegeEscalation"], f"{name} cannot write its root")
            demand(locked["capabilities"] == {"drop": ["ALL"]}, f"{name} has no rights of root's")
        demand(pod["spec"]["securityContext"]["runAsNonRoot"], f"{name} is not root")
        main = pod["spec"]["containers"][0]
        ports = {port["name"] for port in main["ports"]}
        for probe in ["startupProbe", "livenessProbe", "readinessProbe"]:
            demand(main[probe]["httpGet"]["port"] in ports, f"{name}: {probe} asks a port that there is")
    labels = workloads["parley"]["template"]["metadata"]["labels"]
    others = workloads["parley-project"]["template"]["metadata"]["labels"]
    for kind in ["Service", "PodDisruptionBudget"]:
        selector = by_kind[kind][0]["spec"]["selector"]
        selected = selector.get("matchLabels", selector).items()
        demand(selected <= labels.items(), f"the {kind} selects the servers")
        demand(not selected <= others.items(), f"the {kind} selects no more")


def check_manifests():
    for path in sorted(glob.glob(f"{DEPLOY}/kubernetes/*/*.yaml")):
        if not path.endswith("kustomization.yaml"):
            # Selectors' labels are added by kustomize.
            validate(path)


def check_page(program):
    """That the page leads to files and settings that there are, by commands that a shell reads."""
    with open(f"{ROOT}/Sources/parley/parley.docc/Deploying.md") as file:
        text = file.read()
    paths = set(re.findall(r"\bDeploy/[\w/@-]+(?:\.\w+)*", text))
    missing = [path for path in paths if not os.path.exists(f"{ROOT}/{path}")]
    demand(paths and not missing, f"the page's files are there: {missing}")
    known = set(re.findall(r"\bPARLEY_[A-Z0-9_]+", run(program, "config") + read("compose/.env.example")))
    unknown = set(re.findall(r"\bPARLEY_[A-Z0-9_]+", text)) - known
    demand(not unknown, f"the page's settings are there: {unknown}")
    blocks = re.findall(r"^ *```bash\n(.*?)^ *```", text, re.S | re.M)
    demand(blocks, "the page has commands")
    for block in blocks:
        run("bash", "-n", input=textwrap.dedent(block))


def check_nginx():
    with tempfile.TemporaryDirectory() as directory:
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=chat.example.org",
            "-keyout", f"{directory}/chat.key", "-out", f"{directory}/chat.pem")
        site = read("proxies/nginx.conf").replace("/etc/ssl/chat.", f"{directory}/chat.").replace("listen 443", "listen 127.0.0.1:4443")
        with open(f"{directory}/nginx.conf", "w") as file:
            file.write(f"pid {directory}/pid; events {{}} http {{ access_log off;\n{site}}}\n")
        run("nginx", "-t", "-q", "-e", "stderr", "-p", directory, "-c", f"{directory}/nginx.conf")


def check_caddy():
    environment = os.environ | {"PARLEY_DOMAIN": "chat.example.org"}
    for path in ["proxies/Caddyfile", "proxies/several.Caddyfile", "compose/Caddyfile"]:
        with tempfile.TemporaryDirectory() as home:
            run("caddy", "validate", "--adapter", "caddyfile", "--config", f"{DEPLOY}/{path}", env=environment | {"HOME": home})
        formatted = run("caddy", "fmt", f"{DEPLOY}/{path}")
        demand(formatted == read(path), f"{path} is as `caddy fmt` writes it")
