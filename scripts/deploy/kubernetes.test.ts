import assert from 'node:assert/strict';
import { test } from 'node:test';
import { health, metrics, readiness } from '../../packages/contract/src/index.ts';
import {
  documentSettings,
  readSettings,
  type Settings,
} from '../../packages/server/src/platform/settings/index.ts';
import { at, documentsOf, type Mapping, textOf, yamlOf } from './files.ts';
import { builtByKustomize, NO_KUBECTL, problemsByType } from './kubernetes.ts';

const files = yamlOf('kubernetes/kustomization.yaml')['resources'] as string[];
const manifests = files.flatMap((file) => documentsOf(textOf(`kubernetes/${file}`)));
const secret = yamlOf('kubernetes/secret.example.yaml');
const deployment = manifestOf('Deployment');
const pod = at(deployment, 'spec', 'template', 'spec') as Mapping;
const container = at(pod, 'containers', 0) as Mapping;

function manifestOf(kind: string): Mapping {
  const found = manifests.filter((manifest) => manifest['kind'] === kind);
  assert.equal(found.length, 1, kind);
  return found[0] ?? {};
}

/** Returns the settings of the container, with generated values for the empty secrets of the example. */
function settings(): Settings {
  const given = at(secret, 'stringData') as Readonly<Record<string, string>>;
  const filled = Object.entries(given).map(([name, value]) => [name, value || fillerOf(name)]);
  const env = { ...(at(manifestOf('ConfigMap'), 'data') as object), ...Object.fromEntries(filled) };
  const read = readSettings(env);
  assert.ok(read.ok, read.ok ? '' : read.problems.join());
  return read.settings;
}

function fillerOf(name: string): string {
  return name === 'GATEHOUSE_SECRET'
    ? Buffer.alloc(32, 7).toString('base64')
    : 'correct horse battery';
}

test('every manifest matches the types of the Kubernetes API', () => {
  assert.equal(problemsByType([...manifests, secret]), '');
});

test('the type check finds a misspelt member', () => {
  const misspelt = { ...deployment, spec: { ...(deployment['spec'] as object), replicass: 2 } };
  assert.match(problemsByType([misspelt]), /replicass/);
});

test('kustomize builds all manifests in one namespace', { skip: NO_KUBECTL }, () => {
  const built = builtByKustomize();
  assert.deepEqual(kindsOf(built), kindsOf(manifests));
  for (const manifest of built)
    if (manifest['kind'] !== 'Namespace')
      assert.equal(at(manifest, 'metadata', 'namespace'), 'gatehouse');
  assert.equal(problemsByType(built), '');
});

function kindsOf(list: readonly Mapping[]): unknown[] {
  return list.map(({ kind }) => String(kind)).toSorted();
}

test('the container has valid settings', () => {
  assert.ok(settings());
});

test('the manifests contain no secret, and the example contains no default secret', () => {
  const secrets = documentSettings().filter(({ secret }) => secret);
  const names = Object.keys(at(manifestOf('ConfigMap'), 'data') as object);
  for (const { variable } of secrets) assert.ok(!names.includes(variable), variable);
  for (const name of ['GATEHOUSE_SECRET', 'GATEHOUSE_ADMIN_PASSWORD'])
    assert.equal(at(secret, 'stringData', name), '');
  assert.ok(!files.includes('secret.example.yaml'));
});

test('a pod has time to drain and to finish its requests before it is killed', () => {
  const { drainSeconds, stopSeconds } = settings();
  assert.ok(Number(pod['terminationGracePeriodSeconds']) > (drainSeconds ?? 0) + stopSeconds);
  const probe = container['readinessProbe'];
  const noticedAfter = Number(at(probe, 'periodSeconds')) * Number(at(probe, 'failureThreshold'));
  assert.ok((drainSeconds ?? 0) > noticedAfter);
});

test('the probes request existing paths on the port of the service', () => {
  const ports = container['ports'] as Mapping[];
  assert.deepEqual(ports, [{ name: 'http', containerPort: 8080 }]);
  const wanted = {
    startupProbe: health.path,
    livenessProbe: health.path,
    readinessProbe: readiness.path,
  };
  for (const [probe, path] of Object.entries(wanted)) {
    assert.equal(at(container, probe, 'httpGet', 'path'), path);
    assert.equal(at(container, probe, 'httpGet', 'port'), 'http');
  }
  assert.equal(at(manifestOf('Service'), 'spec', 'ports', 0, 'targetPort'), 'http');
  const annotations = at(deployment, 'spec', 'template', 'metadata', 'annotations');
  assert.equal(at(annotations, 'prometheus.io/path'), metrics.path);
  assert.equal(at(annotations, 'prometheus.io/port'), '8080');
});

test('the pod complies with the restricted Pod Security Standard, has a read-only file system and no API token', () => {
  // https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
  assert.equal(at(pod, 'securityContext', 'runAsNonRoot'), true);
  assert.ok(Number(at(pod, 'securityContext', 'runAsUser')) > 0);
  assert.equal(at(pod, 'securityContext', 'seccompProfile', 'type'), 'RuntimeDefault');
  assert.deepEqual(container['securityContext'], {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  for (const member of ['hostNetwork', 'hostPID', 'hostIPC'])
    assert.equal(at(pod, member), undefined);
  for (const volume of pod['volumes'] as Mapping[]) assert.ok(volume['emptyDir'], 'a volume');
  assert.equal(pod['automountServiceAccountToken'], false);
  assert.equal(pod['enableServiceLinks'], false);
});

test('the pod requests memory and CPU and limits only memory', () => {
  assert.ok(at(container, 'resources', 'requests', 'memory'));
  assert.ok(at(container, 'resources', 'requests', 'cpu'));
  assert.ok(at(container, 'resources', 'limits', 'memory'));
});

test('every selector matches the pods of the deployment', () => {
  const labels = at(deployment, 'spec', 'template', 'metadata', 'labels');
  const selectors = [
    at(deployment, 'spec', 'selector', 'matchLabels'),
    at(manifestOf('Service'), 'spec', 'selector'),
    at(manifestOf('PodDisruptionBudget'), 'spec', 'selector', 'matchLabels'),
    at(manifestOf('NetworkPolicy'), 'spec', 'podSelector', 'matchLabels'),
    at(pod, 'topologySpreadConstraints', 0, 'labelSelector', 'matchLabels'),
  ];
  for (const selector of selectors) assert.deepEqual(selector, labels);
  const scaled = at(manifestOf('HorizontalPodAutoscaler'), 'spec');
  assert.equal(at(scaled, 'scaleTargetRef', 'name'), at(deployment, 'metadata', 'name'));
  assert.ok(Number(at(scaled, 'minReplicas')) >= 2);
});

test('every referenced manifest exists', () => {
  const names = [...manifests, secret].map(
    (one) => `${one['kind']} ${at(one, 'metadata', 'name')}`,
  );
  const wanted = [
    `ServiceAccount ${pod['serviceAccountName']}`,
    `ConfigMap ${at(container, 'envFrom', 0, 'configMapRef', 'name')}`,
    `Secret ${at(container, 'envFrom', 1, 'secretRef', 'name')}`,
    `Service ${at(manifestOf('Ingress'), 'spec', 'rules', 0, 'http', 'paths', 1, 'backend', 'service', 'name')}`,
  ];
  for (const name of wanted) assert.ok(names.includes(name), name);
});
