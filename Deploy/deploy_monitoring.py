"""Whether Prometheus takes the rules, the alerts fire when they should, and everything named in them exists."""

import json
import os
import re
import tempfile

import yaml

from deploy_files import DEPLOY, demand, read, run

FOLDER = f"{DEPLOY}/prometheus"
SCRAPED = {"up"}
FUNCTIONS = {"sum", "rate", "max", "min", "count", "group", "topk", "increase", "resets", "absent", "vector", "histogram_quantile",
             "min_over_time", "by", "and", "or", "on"}


def rules(name):
    return [rule for group in yaml.safe_load(read(f"prometheus/{name}"))["groups"] for rule in group["rules"]]


def check_rules():
    run("promtool", "check", "rules", f"{FOLDER}/rules.yaml", f"{FOLDER}/alerts.yaml")
    run("promtool", "check", "config", f"{FOLDER}/prometheus.yaml")


def check_alerts():
    run("promtool", "test", "rules", f"{FOLDER}/alerts.test.yaml")
    fired = set(re.findall(r'alertname="(\w+)"', read("prometheus/alerts.test.yaml")))
    alerts = {rule["alert"] for rule in rules("alerts.yaml")}
    demand(fired == alerts, f"each alert fires in a test: {fired ^ alerts}")


def queries():
    """All queries of the dashboard, with its variables replaced."""
    panels = json.loads(read("grafana/parley.json"))["panels"]
    found = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    return [query.replace("$job", "parley").replace("$instance", ".*") for query in found]


def check_dashboard():
    dashboard = json.loads(read("grafana/parley.json"))
    panels = dashboard["panels"]
    demand(len({panel["id"] for panel in panels}) == len(panels), "each panel has an id of its own")
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        demand(not cells & taken and place["x"] + place["w"] <= 24, f"{panel['title']} has a place of its own")
        taken |= cells
        if panel["type"] != "row":
            demand(panel["targets"] and panel["datasource"]["uid"] == "${datasource}", f"{panel['title']} asks the chosen source")
    names = {variable["name"] for variable in dashboard["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(panels))) - {"__all"}
    demand(used <= names, f"variables are there: {used - names}")
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "queries.yaml")
        with open(path, "w") as file:
            yaml.safe_dump({"groups": [{"name": "dashboard", "rules": [
                {"record": f"query_{index}", "expr": query} for index, query in enumerate(queries())
            ]}]}, file)
        run("promtool", "check", "rules", path)


def check_names(metrics):
    """Every name in a query is one that the servers told, or that a rule records; routes in them are those of the servers."""
    exposed = set(re.findall(r"^# TYPE (\w+)", metrics, re.M))
    exposed |= {f"{name}_{part}" for name in exposed for part in ["bucket", "sum", "count"]}
    recorded = {rule["record"] for rule in rules("rules.yaml")}
    texts = queries() + [rule["expr"] for rule in rules("rules.yaml") + rules("alerts.yaml")]
    for text in texts:
        bare = re.sub(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\[\w+\]|\bby \([^)]*\)", "", text)
        names = set(re.findall(r"[a-z_][\w:]*", bare)) - FUNCTIONS - SCRAPED
        demand(names <= exposed | recorded, f"the servers tell of {sorted(names - exposed - recorded)}")
        for method, route in re.findall(r'method="(\w+)",\s*route="([^"]+)"', text):
            demand(re.search(rf'method="{method}",route="{re.escape(route)}"', metrics), f"there is a route {method} {route}")
