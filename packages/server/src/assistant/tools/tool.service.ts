import { randomUUIDv7 } from 'node:crypto';
import type { NewTool, Tool, ToolChange, ToolWithSecret } from '@gatehouse/contract';
import { type ListRequest, type Page, readCursor, readLimit, toPage } from '../../http/index.ts';
import { type BotAccess, forbidden, roleOnBot } from '../../identity/index.ts';
import { newSecretText } from '../../ingest/sources/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import type { JoinedWrites, ToolRow } from '../../storage/ports/index.ts';
import { nameTaken, noSuchTool, tooManyTools } from './tool.errors.ts';
import type { ToolRepository, ToolWrite } from './tool.repository.ts';
import { sealContext, toTool } from './tool.rules.ts';

/** The tools of a bot. Methods with an ID throw 404 `chat.no-tool`. */
export interface Tools {
  /** Returns the secret, which cannot be read again. Throws 409 for a name in use, and if the bot has too many tools. */
  create(
    bot: BotAccess,
    sent: NewTool,
    joined: JoinedWrites<ToolWithSecret>,
  ): Promise<ToolWithSecret>;
  list(bot: BotAccess, request: ListRequest): Promise<Page<Tool>>;
  show(bot: BotAccess, id: string): Promise<Tool>;
  change(bot: BotAccess, id: string, change: ToolChange): Promise<Tool>;
  remove(bot: BotAccess, id: string): Promise<void>;
}

export interface ToolsDeps {
  readonly tools: ToolRepository;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

export function createTools({ tools, sealer, clock }: ToolsDeps): Tools {
  return {
    async create({ spaceId, botId }, { secret = newSecretText(), ...sent }, joined) {
      const now = clock();
      const named = { id: randomUUIDv7(), space_id: spaceId };
      const row: ToolRow = {
        ...named,
        bot_id: botId,
        name: sent.name,
        title: sent.title ?? null,
        description: sent.description,
        url: toUrl(sent.url ?? null),
        input_schema: JSON.stringify(sent.inputSchema),
        consent: sent.consent === false ? 0 : 1,
        sealed: sealer.seal(secret, sealContext(named)),
        created_at: now,
        updated_at: now,
      };
      const created = { ...toTool(row), secret };
      const outcome = await tools.insert(row, joined(created));
      if (outcome === 'no-bot') throw forbidden(roleOnBot('editor'));
      if (outcome === 'too-many') throw tooManyTools();
      if (outcome === 'name-taken') throw nameTaken();
      return created;
    },
    async list(bot, { limit, after }) {
      const count = readLimit(limit);
      const rows = await tools.list(bot, readCursor(after), count + 1);
      return toPage(rows, count, ({ id }) => id, toTool);
    },
    async show(bot, id) {
      const row = await tools.find(bot, id.toLowerCase());
      if (row === undefined) throw noSuchTool();
      return toTool(row);
    },
    async change(bot, givenId, change) {
      const id = givenId.toLowerCase();
      const write = toWrite(change, (secret) =>
        sealer.seal(secret, sealContext({ space_id: bot.spaceId, id })),
      );
      const row = await tools.change(bot, id, write, clock());
      if (row === 'no-tool') throw noSuchTool();
      if (row === 'name-taken') throw nameTaken();
      return toTool(row);
    },
    async remove(bot, id) {
      if (!(await tools.remove(bot, id.toLowerCase()))) throw noSuchTool();
    },
  };
}

function toWrite(change: ToolChange, seal: (secret: string) => string): ToolWrite {
  const { name, title, description, url, inputSchema, consent, secret } = change;
  return {
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(url === undefined ? {} : { url: toUrl(url) }),
    ...(inputSchema === undefined ? {} : { input_schema: JSON.stringify(inputSchema) }),
    ...(consent === undefined ? {} : { consent: consent ? 1 : 0 }),
    ...(secret === undefined ? {} : { sealed: seal(secret) }),
  };
}

/** Returns the stored URL of a tool. An empty text: calls become events. */
function toUrl(url: string | null): string {
  return url === null ? '' : new URL(url).href;
}
