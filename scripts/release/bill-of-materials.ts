import type { RuntimePackage } from './runtime-packages.ts';

/** The software that a bill of materials describes. */
export interface Release {
  readonly version: string;
  /** Full hash of the commit. */
  readonly commit: string;
  readonly committedAt: Date;
}

/**
 * Returns a bill of materials in CycloneDX 1.6 as a JSON value. The same release always produces the same text.
 * https://cyclonedx.org/docs/1.6/json/
 */
export function billOfMaterials(release: Release, packages: readonly RuntimePackage[]): object {
  const refs = new Map(packages.map((one) => [`${one.name}@${one.version}`, purlOf(one)]));
  const self = `pkg:generic/gatehouse@${release.version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: release.committedAt.toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'gatehouse',
        version: release.version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'gatehouse:commit', value: release.commit }],
      },
    },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': purlOf(one),
      ...nameOf(one),
      version: one.version,
      purl: purlOf(one),
      ...(one.licence === null ? {} : { licenses: [{ expression: one.licence }] }),
      hashes: [hashOf(one.integrity)],
    })),
    dependencies: [
      { ref: self, dependsOn: packages.map(purlOf) },
      ...packages.map((one) => ({
        ref: purlOf(one),
        dependsOn: one.requires.flatMap((required) => refs.get(required) ?? []),
      })),
    ],
  };
}

/** Returns the package URL: https://github.com/package-url/purl-spec */
function purlOf({ name, version }: RuntimePackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function nameOf({ name }: RuntimePackage): { group?: string; name: string } {
  const [scope = '', rest] = name.split('/');
  return rest === undefined ? { name } : { group: scope, name: rest };
}

/** Returns the hash of a package archive as CycloneDX writes it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-');
  const alg = algorithm.replace('sha', 'SHA-');
  return { alg, content: Buffer.from(digest, 'base64').toString('hex') };
}
