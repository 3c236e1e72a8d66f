import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEPLOY, documentsOf, type Mapping, ROOT } from './files.ts';

/** Module of `kubernetes-types` that exports the type of each kind. */
const MODULES: Readonly<Record<string, string>> = {
  'v1 Namespace': 'core/v1',
  'v1 ServiceAccount': 'core/v1',
  'v1 ConfigMap': 'core/v1',
  'v1 Secret': 'core/v1',
  'v1 Service': 'core/v1',
  'apps/v1 Deployment': 'apps/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
  'networking.k8s.io/v1 Ingress': 'networking/v1',
};

/** The reason to skip tests that need kubectl, or `false`. */
export const NO_KUBECTL: string | false =
  spawnSync('kubectl', ['version', '--client']).status === 0 ? false : 'kubectl is missing';

/** Returns the manifests that `kubectl apply --kustomize deploy/kubernetes` would send. */
export function builtByKustomize(): Mapping[] {
  const folder = join(DEPLOY, 'kubernetes');
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`kubectl kustomize: ${stderr}`);
  return documentsOf(stdout);
}

/**
 * Type-checks manifests against `kubernetes-types`, which is generated from the Kubernetes API description. Returns the
 * errors of the TypeScript compiler, or an empty string if the manifests are valid. Throws on an unknown kind.
 */
export function problemsByType(manifests: readonly Mapping[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-manifests-'));
  try {
    const file = join(directory, 'manifests.ts');
    const types = join(ROOT, 'node_modules/kubernetes-types');
    writeFileSync(file, manifests.map((manifest) => declarationOf(manifest, types)).join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--singleThreaded',
      '--ignoreConfig',
    ];
    const { status, stdout, stderr } = spawnSync(
      join(ROOT, 'node_modules/.bin/tsc'),
      [...options, '--types', '', file],
      { encoding: 'utf8', cwd: directory },
    );
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function declarationOf(manifest: Mapping, types: string): string {
  const kind = String(manifest['kind']);
  const module = MODULES[`${manifest['apiVersion']} ${kind}`];
  if (module === undefined) throw new Error(`unknown kind: ${manifest['apiVersion']} ${kind}`);
  const literal = JSON.stringify(manifest, null, 2);
  return `export const manifest${kind}: import('${types}/${module}').${kind} = ${literal};`;
}
