import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStages } from '../deploy/dockerfile.ts';
import { withLicences } from '../docs/licences.ts';
import { billOfMaterials, type Release } from './bill-of-materials.ts';
import { runtimePackages } from './runtime-packages.ts';

export interface PackOptions {
  /** Folder of a git checkout with a built widget, console and documentation (`npm ci`). Only committed and built files are packed. */
  readonly root: string;
  /** Folder for the files of the release. Created if it does not exist. */
  readonly out: string;
  /** Ed25519 private key as PEM. `null`: the release is not signed. */
  readonly signingKey: string | null;
  /** URI of the program that builds the release, for the provenance. */
  readonly builder: string;
}

/**
 * Writes the files of a release and returns their names:
 *
 * - `gatehouse-<version>.tar.gz`: the committed files, and the built widget, console and documentation
 * - `gatehouse-<version>.cdx.json`: bill of materials in CycloneDX
 * - `gatehouse-<version>.intoto.json`: provenance, an in-toto statement with a SLSA 1.0 predicate
 * - `SHA256SUMS`: checksums of these files
 * - `SHA256SUMS.sig`: Ed25519 signature of `SHA256SUMS`, if there is a key
 *
 * The same commit always produces the same archive and bill of materials.
 */
export function packRelease({ root, out, signingKey, builder }: PackOptions): string[] {
  const key = signingKey === null ? null : privateKey(signingKey);
  mkdirSync(out, { recursive: true });
  const release = releaseOf(root);
  const name = `gatehouse-${release.version}`;
  const archive = `${name}.tar.gz`;
  writeArchive(root, name, release, join(out, archive));
  const bill = `${name}.cdx.json`;
  writeJson(join(out, bill), billOfMaterials(release, withLicences(runtimePackages(root))));
  const statement = `${name}.intoto.json`;
  const subjects = [archive, bill].map((file) => ({ file, sha256: sha256(join(out, file)) }));
  writeJson(join(out, statement), provenance(release, { root, builder, subjects }));
  const files = [archive, bill, statement];
  const sums = files.map((file) => `${sha256(join(out, file))}  ${file}\n`).join('');
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  if (key === null) return [...files, 'SHA256SUMS'];
  writeFileSync(join(out, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), key));
  return [...files, 'SHA256SUMS', 'SHA256SUMS.sig'];
}

function privateKey(pem: string) {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`the signing key is ${key.asymmetricKeyType}; it must be Ed25519`);
  return key;
}

function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

function releaseOf(root: string): Release {
  const { version } = JSON.parse(git(root, 'show', 'HEAD:package.json')) as { version: string };
  const commit = git(root, 'rev-parse', 'HEAD');
  const seconds = Number(git(root, 'show', '--no-patch', '--format=%ct', 'HEAD'));
  return { version, commit, committedAt: new Date(seconds * 1000) };
}

/** Writes an archive whose bytes depend only on the commit: sorted names, one time, no owners. */
function writeArchive(root: string, name: string, release: Release, file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  try {
    const tree = join(folder, name);
    mkdirSync(tree);
    const tar = execFileSync('git', ['archive', '--format=tar', 'HEAD'], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync('tar', ['-x', '-C', tree], { input: tar });
    for (const name of ['console', 'server', 'site', 'widget']) {
      const dist = join('packages', name, 'dist');
      cpSync(join(root, dist), join(tree, dist), { recursive: true });
    }
    const options = [
      ...['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w'],
      `--mtime=@${release.committedAt.getTime() / 1000}`,
    ];
    const packed = execFileSync('tar', ['-c', ...options, '-C', folder, name], {
      maxBuffer: 2 ** 30,
    });
    writeFileSync(file, execFileSync('gzip', ['-9n'], { input: packed, maxBuffer: 2 ** 30 }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Facts {
  readonly root: string;
  readonly builder: string;
  readonly subjects: readonly { readonly file: string; readonly sha256: string }[];
}

/** Returns the provenance: https://slsa.dev/spec/v1.0/provenance */
function provenance(release: Release, { root, builder, subjects }: Facts): object {
  const lock = createHash('sha256').update(git(root, 'show', 'HEAD:package-lock.json'));
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ file, sha256 }) => ({ name: file, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:gatehouse:release:v1',
        externalParameters: { version: release.version, commit: release.commit },
        internalParameters: { node: process.version },
        resolvedDependencies: [
          { uri: 'git+file:gatehouse', digest: { gitCommit: release.commit } },
          { uri: 'package-lock.json', digest: { sha256: lock.digest('hex') } },
          ...readStages().map(({ image }) => ({ uri: `docker://${image}` })),
        ],
      },
      runDetails: {
        builder: { id: builder },
        metadata: { invocationId: release.commit },
      },
    },
  };
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
