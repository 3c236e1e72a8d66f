import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeKey } from '../provision.ts';
import type { ServiceWithSpace } from '../services/service-with-space.ts';
import { ROOT } from './guide.ts';

/** Scopes of the API key that `docs/guides/get-started.md` creates. */
const SCOPES = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;

/** Returns the variables that `docs/guides/get-started.md` defines for all guides. */
export async function guideVariables({ client, service, session, space }: ServiceWithSpace) {
  return {
    GATEHOUSE_URL: service.url,
    GATEHOUSE_KEY: await makeKey(client, session, space.id, SCOPES),
    USER_SESSION: session,
    SPACE_ID: space.id,
    BOT_ID: String(space.botId),
  };
}

/**
 * A shell that runs the commands of a guide one block after the other, as a reader does: functions and variables of earlier
 * blocks stay defined.
 */
export class GuideShell {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #kept: string;
  #earlier: string;

  /**
   * @param variables shell variables. They are not exported, because the service and its commands reject unknown `GATEHOUSE_*`
   *   variables of the environment.
   */
  constructor(
    variables: Readonly<Record<string, string>>,
    { folder = ROOT, env = {} }: { folder?: string; env?: Readonly<Record<string, string>> } = {},
  ) {
    const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
    this.#earlier = lines.join('');
    this.#kept = [...Object.keys(variables), ...KEPT].join(' ');
    this.#folder = folder;
    this.#env = env;
  }

  /** Runs a block and returns its output. Fails if one of its commands fails. */
  async run(block: string): Promise<string> {
    const state = this.#earlier;
    const script = `${state}\n${block}\nprintf '\\n%s\\n' '${MARK}'; declare -p ${this.#kept} 2>/dev/null || true; declare -f\n`;
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: this.#folder,
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const [status] = await once(child, 'close');
    assert.equal(status, 0, `${block}\n${output}${errors}`);
    const [shown = '', kept = ''] = output.split(`\n${MARK}\n`);
    this.#earlier = kept;
    return shown;
  }

  /** Runs a block and parses its output as JSON. */
  async json(block: string): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await this.run(block));
  }
}

const MARK = '--- end of the block ---';
/** Variables that blocks define for later blocks. */
const KEPT = ['LINK_TOKEN', 'FILTER', 'LINK_ID', 'DOCUMENT_ID', 'USER_ID'];
