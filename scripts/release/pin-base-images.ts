/**
 * Adds the current digest of each base image to the `FROM` instructions of a Dockerfile, or replaces the digest:
 *
 *     node scripts/release/pin-base-images.ts [Dockerfile]
 *     node scripts/release/pin-base-images.ts --check [Dockerfile]
 *
 * `--check` changes nothing and fails if an image has no digest. The release workflow runs it, so no release has an unpinned image.
 *
 * A digest identifies the same image for ever, whereas a tag can be moved. `REGISTRY` (default
 * https://registry-1.docker.io) must permit anonymous reads, with or without a token.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const FROM = /^(FROM\s+(?:--\S+\s+)*)([^\s@]+)(@\S+)?/gm;
/** The index of all platforms, so that one digest works on every platform. */
const TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/**
 * Returns the text of a Dockerfile with a digest at every base image.
 *
 * @param digestOf Returns the digest of an image, for example of `debian:bookworm-slim`.
 */
export async function pinImages(
  dockerfile: string,
  digestOf: (image: string) => Promise<string>,
): Promise<string> {
  const digests = new Map<string, string>();
  for (const { image } of baseImages(dockerfile))
    if (!digests.has(image)) digests.set(image, await digestOf(image));
  return dockerfile.replaceAll(FROM, (line: string, start: string, image: string) => {
    const digest = digests.get(image);
    return digest === undefined ? line : `${start}${image}@${digest}`;
  });
}

/** Returns the base images without a digest. */
export function unpinnedImages(dockerfile: string): string[] {
  return baseImages(dockerfile)
    .filter(({ digest }) => !DIGEST.test(digest))
    .map(({ image }) => image);
}

function baseImages(dockerfile: string): { image: string; digest: string }[] {
  const stages = new Set(
    [...dockerfile.matchAll(/^FROM\s.*\sAS\s+(\S+)/gim)].map(([, name]) => name),
  );
  return [...dockerfile.matchAll(FROM)]
    .map(([, , image = '', digest = '']) => ({ image, digest: digest.slice(1) }))
    .filter(({ image }) => !stages.has(image) && image !== 'scratch');
}

/** Asks a registry for the digest of an image: https://distribution.github.io/distribution/spec/api/ */
export async function digestFrom(registry: string, image: string): Promise<string> {
  const [name = '', tag = 'latest'] = image.split(':');
  const repository = name.includes('/') ? name : `library/${name}`;
  const url = `${registry}/v2/${repository}/manifests/${tag}`;
  const accept = { Accept: TYPES.join(', ') };
  const ask = (headers: Record<string, string>) => fetch(url, { method: 'HEAD', headers });
  let response = await ask(accept);
  if (response.status === 401) {
    const token = await tokenFor(response.headers.get('www-authenticate') ?? '');
    response = await ask({ ...accept, Authorization: `Bearer ${token}` });
  }
  const digest = response.headers.get('docker-content-digest') ?? '';
  if (!response.ok || !DIGEST.test(digest))
    throw new Error(`${url}: status ${response.status}, digest "${digest}"`);
  return digest;
}

/** Requests an anonymous token from the address in a `WWW-Authenticate: Bearer` header. */
async function tokenFor(challenge: string): Promise<string> {
  const values = new Map(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const realm = values.get('realm');
  if (realm === undefined) throw new Error(`the registry asks for "${challenge}"`);
  const url = new URL(realm);
  for (const name of ['service', 'scope']) url.searchParams.set(name, values.get(name) ?? '');
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.origin}: status ${response.status}`);
  const { token } = (await response.json()) as { token?: unknown };
  if (typeof token !== 'string') throw new Error(`${url.origin} returned no token`);
  return token;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [file = join(import.meta.dirname, '../../Dockerfile')] = positionals;
  const dockerfile = readFileSync(file, 'utf8');
  if (values.check) {
    const unpinned = unpinnedImages(dockerfile);
    if (unpinned.length > 0) {
      console.error(
        `${file}: no digest for ${unpinned.join(', ')}. Run node scripts/release/pin-base-images.ts and commit the result.`,
      );
      process.exitCode = 1;
    }
  } else {
    const registry = process.env['REGISTRY'] ?? 'https://registry-1.docker.io';
    writeFileSync(file, await pinImages(dockerfile, (image) => digestFrom(registry, image)));
  }
}
