/**
 * Creates a draft release on GitHub and uploads all files of a folder:
 *
 *     API=<URL of the repository's releases> GH_TOKEN=<token> node scripts/release/draft-release.ts <folder>
 *
 * The tag is `GITHUB_REF_NAME`. https://docs.github.com/en/rest/releases/releases
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const tag = required('GITHUB_REF_NAME');
const headers = {
  Accept: 'application/vnd.github+json',
  Authorization: `Bearer ${required('GH_TOKEN')}`,
  'X-GitHub-Api-Version': '2022-11-28',
};

const files = readdirSync(folder);
const created = await send(required('API'), {
  'Content-Type': 'application/json',
  body: JSON.stringify({ tag_name: tag, name: tag, draft: true, prerelease: tag.includes('-') }),
});
const { upload_url: template, html_url: page } = created as Record<string, string>;
if (template === undefined) throw new Error('the created release has no upload_url');
for (const file of files) {
  const url = new URL(template.replace(/\{.*\}$/, ''));
  url.searchParams.set('name', file);
  const body = readFileSync(join(folder, file));
  await send(url.href, { 'Content-Type': 'application/octet-stream', body });
}
console.log(`${page}: draft with ${files.length} files`);

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}`);
  return value;
}

interface Upload {
  readonly 'Content-Type': string;
  readonly body: string | Buffer<ArrayBuffer>;
}

/** Sends a POST request and returns the JSON of the response. Throws if the status is not 201. */
async function send(url: string, { body, ...type }: Upload): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers, ...type }, body });
  if (response.status !== 201)
    throw new Error(`POST ${new URL(url).pathname}: ${response.status} ${await response.text()}`);
  return response.json();
}
