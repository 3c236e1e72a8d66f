import type { Bot, Member, Role, Space } from '@gatehouse/contract';

/** A space as it is stored, with its origins. */
export interface StoredSpace {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
  /** Unix milliseconds. */
  readonly created_at: number;
}

/** A bot as it is stored. */
export interface StoredBot {
  readonly id: number;
  readonly space_id: string;
  readonly name: string;
  readonly system_prompt: string | null;
  readonly greeting: string | null;
  /** JSON array of strings. */
  readonly suggestions: string;
  readonly model: string | null;
}

/** A member of a bot as it is stored. */
export interface StoredMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export function formatSpace(space: StoredSpace): Space {
  return {
    id: space.id,
    name: space.name,
    allowedOrigins: [...space.origins],
    createdAt: new Date(space.created_at).toISOString(),
  };
}

export function formatBot(bot: StoredBot): Bot {
  return {
    id: bot.id,
    spaceId: bot.space_id,
    name: bot.name,
    systemPrompt: bot.system_prompt,
    greeting: bot.greeting,
    suggestions: JSON.parse(bot.suggestions) as string[],
    model: bot.model,
  };
}

export function formatMember(member: StoredMember): Member {
  return { userId: member.user_id, email: member.email, name: member.name, role: member.role };
}
