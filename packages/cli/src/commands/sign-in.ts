import { Gatehouse, type SignInResult, UnauthorizedError } from '@gatehouse/client';
import type { Command } from 'commander';
import { ask, readSecret } from '../input/prompt.ts';
import { parseKey, parseUrl, urlOf } from '../shell/access.ts';
import {
  type Configuration,
  configurationPath,
  deleteConfiguration,
  readConfiguration,
  writeConfiguration,
} from '../shell/configuration.ts';
import type { Context } from '../shell/context.ts';
import { wrongUse } from '../shell/failure.ts';
import { checkEmpty, checked, pageOf } from '../shell/response.ts';
import { type Binding, bind } from './binding.ts';

interface LoginOptions {
  readonly email?: string;
  readonly code?: string;
  readonly withKey?: true;
}

const LOCAL_URL = 'http://127.0.0.1:8080';

/** Adds `login`, `logout` and `whoami`. */
export function addSignIn(program: Command, binding: Binding): void {
  program
    .command('login')
    .summary('Sign in and store the session or API key.')
    .description(
      'Sign in with email and password, or with an API key, and store the credential in a file that only you can read. Secrets are read from the terminal without echo, or from standard input.',
    )
    .option('--email <address>', 'Email address of the user.')
    .option(
      '--code <code>',
      'Code of the authenticator app, or a recovery code. Default: asked on the terminal if it is needed.',
    )
    .option('--with-key', 'Store an API key instead of signing in a user.')
    .action(bind<LoginOptions>(binding, (context, _args, options) => login(context, options)));
  program
    .command('logout')
    .summary('End the session and delete the stored credential.')
    .description('End the stored session and delete the configuration file.')
    .action(bind(binding, (context) => logout(context)));
  program
    .command('whoami')
    .summary('Print the user or the API key in use.')
    .description('Print the service and the user or API key that commands use.')
    .action(bind(binding, (context) => whoAmI(context)));
}

async function login(context: Context, given: LoginOptions): Promise<void> {
  const { email, withKey } = given;
  const { shell, options, out, signal } = context;
  if (email !== undefined && (withKey || options.key !== undefined))
    throw wrongUse('Use either --email or an API key.');
  const isTerminal = shell.stdin.isTTY;
  const url =
    urlOf(shell, options) ??
    (isTerminal ? parseUrl((await ask(shell, `URL (${LOCAL_URL}): `)) || LOCAL_URL) : undefined);
  if (url === undefined) throw wrongUse('The URL of the service is missing. Use --url <url>.');
  if (isUnprotected(url))
    out.note(`Warning: ${url} is not encrypted, so the network can read the credential.`);
  let address = email;
  if (address === undefined && !withKey && options.key === undefined) {
    if (!isTerminal) throw wrongUse('Use --email <address> or --with-key.');
    address = (await ask(shell, 'Email (empty to use an API key): ')) || undefined;
  }
  let credential: Pick<Configuration, 'key' | 'token'>;
  if (address === undefined) {
    credential = { key: parseKey(options.key ?? (await readSecret(shell, 'API key: ', signal))) };
  } else {
    const password = await readSecret(shell, 'Password: ', signal);
    credential = {
      token: await signIn(context, { url, email: address, password, code: given.code }),
    };
  }
  const client = new Gatehouse({ url, apiKey: credential.key, token: credential.token });
  const page = await client.spaces.list({ limit: 2 }, { signal });
  const [only, other] = pageOf(page, { id: '' }).items;
  const spaceId = options.space ?? (other === undefined ? only?.id : undefined);
  writeConfiguration(shell, { url, ...credential, ...(spaceId === undefined ? {} : { spaceId }) });
  const path = configurationPath(shell);
  const as = address ?? 'API key';
  out.result({ url, as, spaceId, path }, () => [
    `Signed in at ${url} (${as}). The credential is stored in ${path}.`,
    ...(spaceId === undefined && other !== undefined
      ? ['Select a space with "gatehouse spaces use <id>"; "gatehouse spaces list" lists them.']
      : []),
  ]);
}

interface PasswordSignIn {
  readonly url: string;
  readonly email: string;
  readonly password: string;
  readonly code: string | undefined;
}

/** Returns the token of a new session. Asks for a code if the user has a second factor. */
async function signIn(
  { shell, signal }: Context,
  { url, email, password, code }: PasswordSignIn,
): Promise<string> {
  const { auth } = new Gatehouse({ url });
  try {
    return tokenOf(await auth.signIn({ email, password }, { signal }));
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || error.challenge === undefined) throw error;
    const { challenge } = error;
    if (code === undefined && !shell.stdin.isTTY)
      throw wrongUse('This user has a second factor. Use --code <code>, or run on a terminal.');
    const typed = code ?? (await ask(shell, 'Code of the authenticator app, or a recovery code: '));
    return tokenOf(await auth.signInWithCode({ challenge, code: typed }, { signal }));
  }
}

function tokenOf(result: SignInResult): string {
  return checked(result, { token: '' }).token;
}

/** Reports whether the URL sends credentials unencrypted to another machine. */
function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

async function logout({ shell, out, signal }: Context): Promise<void> {
  const { url, token } = readConfiguration(shell);
  deleteConfiguration(shell);
  if (url !== undefined && token !== undefined)
    try {
      checkEmpty(await new Gatehouse({ url, token }).auth.signOut({ signal }));
    } catch {
      out.note(
        'The credential is deleted here, but the service did not confirm the end of the session.',
      );
    }
  out.result({ signedOut: true }, () => ['Signed out.']);
}

async function whoAmI(context: Context): Promise<void> {
  const { access, out, signal } = context;
  const { url, key } = access;
  if (key === undefined) {
    const session = await context.client().auth.session({ signal });
    const { user, expiresAt } = checked(session, { user: { email: '' } });
    const { email, name } = user;
    out.members({ url, email, name, expiresAt, spaceId: access.spaceId ?? null });
    return;
  }
  const page = await context.client().spaces.list({ limit: 1 }, { signal });
  const [space] = pageOf(page, { id: '' }).items;
  out.members({
    url,
    // The service shows the same characters of a key.
    keyPrefix: key.slice(0, 7),
    spaceId: space?.id ?? null,
    spaceName: space?.name ?? null,
  });
}
