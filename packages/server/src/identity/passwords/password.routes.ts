import { changePassword, type Issue } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { limitByAddress, routesFor } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import type { Passwords } from './password.service.ts';

export interface PasswordRoutesDeps {
  readonly access: Access;
  readonly passwords: Passwords;
  readonly signInsPerMinute: number;
}

export function registerPasswordRoutes(
  app: FastifyInstance,
  { access, passwords, signInsPerMinute }: PasswordRoutesDeps,
): void {
  routesFor(app, access.user)(
    changePassword,
    ({ caller, body }) => passwords.change(caller, body.currentPassword, body.newPassword),
    { ...limitByAddress(changePassword, signInsPerMinute), rules: samePasswordIssues },
  );
}

function samePasswordIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const { currentPassword, newPassword } = body;
  if (newPassword === undefined || newPassword !== currentPassword) return [];
  return [{ message: 'newPassword: must differ from `currentPassword`' }];
}
