import { type Configuration, readConfiguration } from './configuration.ts';
import { EXIT, Failure, wrongUse } from './failure.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** The service and the credential that a command uses. */
export interface Access {
  readonly url: string;
  readonly key: string | undefined;
  readonly token: string | undefined;
  readonly spaceId: string | undefined;
}

/** Returns the URL of the service: `--url`, then `GATEHOUSE_URL`, then the stored one. */
export function urlOf(shell: Pick<Shell, 'env'>, { url }: GlobalOptions): string | undefined {
  const given = url ?? variable(shell, 'GATEHOUSE_URL');
  return given === undefined ? readConfiguration(shell).url : parseUrl(given);
}

/**
 * Combines options, environment variables and the configuration file, in this order. The stored credential and space are
 * used only with the service for which they were stored.
 */
export function accessOf(shell: Pick<Shell, 'env'>, options: GlobalOptions): Access {
  const url = urlOf(shell, options);
  if (url === undefined)
    throw new Failure({
      exitCode: EXIT.misconfigured,
      code: 'cli.no-url',
      message:
        'The URL of the service is unknown. Run "gatehouse login", or set GATEHOUSE_URL or --url.',
    });
  const key = options.key ?? variable(shell, 'GATEHOUSE_KEY');
  const named = options.space ?? variable(shell, 'GATEHOUSE_SPACE');
  if (key !== undefined) return { url, key: parseKey(key), token: undefined, spaceId: named };
  // With a key, the file is not needed, and a container may have no access to it.
  const stored = readConfiguration(shell);
  const ours: Configuration = stored.url === url ? stored : {};
  const { token } = ours;
  if (ours.key === undefined && token === undefined)
    throw new Failure({
      exitCode: EXIT.misconfigured,
      code: 'cli.not-signed-in',
      message: `You are not signed in at ${url}. Run "gatehouse login", or set GATEHOUSE_KEY.`,
    });
  return { url, key: ours.key, token, spaceId: named ?? ours.spaceId };
}

/** Returns the option or variable with the API key, or `undefined` if the stored credential is used. */
export function keySourceOf(shell: Pick<Shell, 'env'>, { key }: GlobalOptions): string | undefined {
  if (key !== undefined) return '--key';
  return variable(shell, 'GATEHOUSE_KEY') === undefined ? undefined : 'GATEHOUSE_KEY';
}

/** Returns an environment variable, or `undefined` if it is empty. Secrets in files often end with a line break. */
export function variable({ env }: Pick<Shell, 'env'>, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** Parses an API key. The error does not contain the key. */
export function parseKey(text: string): string {
  const key = text.trim();
  if (/^[\w.~+/-]+=*$/.test(key)) return key;
  throw wrongUse('The API key is empty, or contains a character that no API key contains.');
}

/** Parses a base URL and removes a final slash. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrongUse(`The URL of the service must start with http:// or https://: ${text}`);
  if (url.username + url.password !== '')
    throw wrongUse('The URL of the service must not contain a user name or password.');
  return url.origin + url.pathname.replace(/\/+$/, '');
}
