import { Gatehouse, type GatehouseOptions } from '@gatehouse/client';
import type { Output } from '../output/output.ts';
import { type Access, accessOf } from './access.ts';
import { EXIT, Failure } from './failure.ts';
import { pageOf } from './response.ts';
import type { GlobalOptions, Shell } from './shell.ts';

/** The surroundings of one command. */
export class Context {
  readonly shell: Shell;
  readonly options: GlobalOptions;
  readonly out: Output;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  #access: Access | undefined;

  constructor(shell: Shell, options: GlobalOptions, out: Output, signal: AbortSignal) {
    this.shell = shell;
    this.options = options;
    this.out = out;
    this.signal = signal;
  }

  get access(): Access {
    this.#access ??= accessOf(this.shell, this.options);
    return this.#access;
  }

  /** Returns a client without a space. */
  client(): Gatehouse {
    const { url, key, token } = this.access;
    return new Gatehouse({ url, apiKey: key, token });
  }

  /** Returns a client of the selected space. Without `--space`, the only space of the credential is selected. */
  async inSpace(more: Pick<GatehouseOptions, 'fetch' | 'log'> = {}): Promise<Gatehouse> {
    const { url, key, token } = this.access;
    return new Gatehouse({ url, apiKey: key, token, spaceId: await this.spaceId(), ...more });
  }

  /** Returns the ID of the selected space. */
  async spaceId(): Promise<string> {
    if (this.access.spaceId !== undefined) return this.access.spaceId;
    const list = this.client().spaces.list({ limit: 2 }, { signal: this.signal });
    const { items } = pageOf(await list, { id: '' });
    const [only, other] = items;
    if (only !== undefined && other === undefined) return only.id;
    const problem =
      only === undefined
        ? 'The credential gives access to no space. Create one with "gatehouse spaces create <name>".'
        : 'You have several spaces. Select one with --space <id>, GATEHOUSE_SPACE or "gatehouse spaces use <id>"; "gatehouse spaces list" lists them.';
    throw new Failure({ exitCode: EXIT.misconfigured, code: 'cli.no-space', message: problem });
  }
}
