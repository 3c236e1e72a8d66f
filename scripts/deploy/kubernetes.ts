import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEPLOY, documentsOf, type Mapping, ROOT } from './files.ts';

/** Where the types of a kind are. */
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

/** Why tests that need kubectl are skipped on this machine; false when they are not. */
export const NO_KUBECTL: string | false =
  spawnSync('kubectl', ['version', '--client']).status === 0 ? false : 'kubectl is missing';

/** What `kubectl apply --kustomize deploy/kubernetes` would send. */
export function builtByKustomize(): Mapping[] {
  const folder = join(DEPLOY, 'kubernetes');
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`kubectl kustomize: ${stderr}`);
  return documentsOf(stdout);
}

/**
 * What is wrong with manifests by the types that are generated from Kubernetes' own description of its API: a
 * misspelt member, a number where a text belongs, a kind that is not known here.
 */
export function problemsByType(manifests: readonly Mapping[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-manifests-'));
  try {
    const file = join(directory, 'manifests.ts');
    const types = join(ROOT, 'node_modules/kubernetes-types');
    writeFileSync(file, manifests.map((manifest) => declarationOf(manifest, types)).join('\n'));
    const { status, stdout, stderr } = spawnSync(
      join(ROOT, 'node_modules/.bin/tsc'),
      ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', '', file],
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
