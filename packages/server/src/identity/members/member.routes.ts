import { deleteMember, listMembers, putMember, showMember } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit, route } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import type { MemberService } from './member.service.ts';

const EDIT = { role: 'editor' } as const;
const OWN = { role: 'owner' } as const;

export interface MemberRoutesDeps {
  readonly access: Access;
  readonly members: MemberService;
}

export function registerMemberOperations(app: FastifyInstance, deps: MemberRoutesDeps): void {
  const { access, members } = deps;
  route(app, listMembers, {
    caller: access.user,
    handle: async ({ caller, params, query }) => {
      const after = readCursor(query.after);
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await members.list(bot, after, readLimit(query.limit)) };
    },
  });
  route(app, showMember, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const bot = await access.bot(caller, params.botId, EDIT);
      return { status: 200, body: await members.show(bot, params.userId) };
    },
  });
  route(app, putMember, {
    caller: access.user,
    handle: async ({ caller, params, body }) => {
      const bot = await access.bot(caller, params.botId, OWN);
      return { status: 200, body: await members.put(bot, params.userId, body.role) };
    },
  });
  route(app, deleteMember, {
    caller: access.user,
    handle: async ({ caller, params }) => {
      const bot = await access.bot(caller, params.botId, OWN);
      await members.remove(bot, params.userId);
      return { status: 204 };
    },
  });
}
