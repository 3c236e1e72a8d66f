import type { FastifyRequest } from 'fastify';
import { type Access, readCredential } from '../identity/index.ts';
import type { WidgetCaller, WidgetSessions } from '../links/index.ts';
import { noSession, widgetSessionNeeded } from './assistant.errors.ts';

export interface VisitorDeps {
  readonly access: Pick<Access, 'caller'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
}

/**
 * Returns the caller of a widget session.
 *
 * @throws {ApiError} 401 without a valid credential, 403 for other kinds of credentials, 410 if the link has expired or was
 *   revoked.
 */
export async function visitorOf(
  { access, sessions }: VisitorDeps,
  request: FastifyRequest,
): Promise<WidgetCaller> {
  const credential = readCredential(request.headers);
  if (credential.kind === 'jwt') return sessions.verify(credential.text);
  if (credential.kind === 'none') throw noSession();
  await access.caller(request);
  throw widgetSessionNeeded();
}
