import { deleteMember, listMembers, putMember, showMember } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { readCursor, readLimit } from '../../http/index.ts';
import type { Access } from '../access/access.ts';
import { routesOnBot } from '../access/checked-routes.ts';
import type { MemberService } from './member.service.ts';

export interface MemberRoutesDeps {
  readonly access: Access;
  readonly members: MemberService;
}

export function registerMemberOperations(app: FastifyInstance, deps: MemberRoutesDeps): void {
  const { access, members } = deps;
  const edit = routesOnBot(app, access, { role: 'editor' });
  const own = routesOnBot(app, access, { role: 'owner' });
  edit(listMembers, (bot, { query: { after, limit, search } }) =>
    members.list(bot, { after: readCursor(after), limit: readLimit(limit), search }),
  );
  edit(showMember, (bot, { params }) => members.show(bot, params.userId));
  own(putMember, (bot, { params, body }) => members.put(bot, params.userId, body.role));
  own(deleteMember, (bot, { params }) => members.remove(bot, params.userId));
}
