using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
    (name = "program.mjs", esModule = embed "program.mjs"),
    (name = "@gatehouse/client", esModule = embed "node_modules/@gatehouse/client/index.js"),
  ],
  bindings = [(name = "settings", json = embed "settings.json")],
);
