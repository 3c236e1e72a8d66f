import { ApiError, ConnectionError, Gatehouse, GatehouseError } from '@gatehouse/client';
import { effect, signal } from '@preact/signals';
import { t } from '../translations/translate.ts';
import { connection, connectionLost, reloads } from './connection.ts';
import { dropEarly } from './early.ts';

/** The client of the console. Its credential is the cookie of the console session. */
export const client = new Gatehouse({ url: location.origin, maxRetries: 1 });

/** The session of the browser: `undefined` until it is known, `null` if nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** The user whose session has ended without a sign-out. Their page stays hidden until somebody signs in. */
export const endedUser = signal<Session['user'] | null>(null);

export interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly admin: boolean;
  };
}

/** Calls `forget` when another user has signed in. */
export function onOtherUser(forget: () => void): void {
  let userId: string | undefined;
  effect(() => {
    const id = session.value?.user.id;
    if (id === undefined || id === userId) return;
    userId = id;
    forget();
  });
}

/** The other tabs of the console, which have the same cookie. They load the session when somebody has signed in or out. */
const otherTabs = new BroadcastChannel('gatehouse-console');
otherTabs.onmessage = () => {
  // Without a connection, the next request reports the problem.
  readSession().catch(() => {});
};

/** Loads the session of the cookie. Tells the other tabs if it is the session of another user than before. */
export async function loadSession(): Promise<void> {
  const before = session.peek();
  await readSession();
  if (before !== undefined && before?.user.id !== session.peek()?.user.id)
    otherTabs.postMessage('session');
}

async function readSession(): Promise<void> {
  try {
    session.value = await client.auth.session();
    if (endedUser.value === null) return;
    endedUser.value = null;
    reloads.value++;
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    interruptSession();
  }
}

/** Returns the challenge of an error that asks for the code of a second factor, or null for other errors. */
export function challengeOf(error: unknown): string | null {
  return error instanceof ApiError ? (error.challenge ?? null) : null;
}

export async function signOut(): Promise<void> {
  try {
    await client.auth.closeConsole();
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
  endSession();
  otherTabs.postMessage('session');
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Ends the session without a sign-out in this tab. */
function interruptSession(): void {
  if (session.value) endedUser.value = session.value.user;
  endSession();
}

function endSession(): void {
  dropEarly();
  session.value = null;
}

/** Reports whether requests fail because the connection is lost or the session has ended. The console says so, and loads data again afterwards. */
export function isInterrupted(): boolean {
  return connection.value === 'lost' || session.value === null;
}

/** An error as the console shows it. */
export interface Problem {
  readonly text: string;
  /** One text per problem of the request. */
  readonly details: readonly string[];
  /** The service does not accept the cursor of a list, for example because it belongs to another filter. */
  readonly isCursorInvalid?: boolean;
  /** The page may show data that somebody else has changed or deleted. */
  readonly isStale?: boolean;
  /** The same request may succeed later. */
  readonly isTemporary?: boolean;
  /** Loads the data again, after a temporary problem. */
  readonly retry?: () => void;
}

/** Codes of requests without a valid session. Their messages are written for programs. */
const NO_SESSION: readonly string[] = ['access.no-credential', 'access.unknown-credential'];

/** A failure that the console finds after the service has accepted a request. Its message is shown. */
export class Failure extends Error {}

/** Converts an error to a problem. If the session has ended, the console shows the sign-in. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ApiError) {
    if (error.status === 401 && session.value) interruptSession();
    if (NO_SESSION.includes(error.code))
      return { text: t('Your session had ended. Please try again.'), details: [] };
    const id =
      error.status >= 500 && error.requestId
        ? ` ${t('(request {id})', { id: error.requestId })}`
        : '';
    const details = error.issues.map(({ message }) => message);
    const isCursorInvalid = details.some((detail) => detail.startsWith('after: '));
    return {
      text: details.length > 0 ? t('Please correct:') : error.message + id,
      details,
      isCursorInvalid,
      isStale: [404, 409, 410].includes(error.status),
      isTemporary: error.status === 429 || error.status >= 500,
    };
  }
  if (error instanceof Failure) return { text: error.message, details: [] };
  if (error instanceof ConnectionError) connectionLost();
  if (error instanceof GatehouseError)
    return {
      text: t('The service did not respond. Check the connection and try again.'),
      details: [],
      isTemporary: true,
    };
  throw error;
}
