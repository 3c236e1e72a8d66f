import type { OneTimeLinks } from '../identity/index.ts';
import type { Log } from '../platform/logs/index.ts';
import { describeLink } from './commands/link-text.ts';

/** Writes text to the terminal of the operator. */
export type Announce = (text: string) => void;

export interface SetupDeps {
  readonly oneTimeLinks: OneTimeLinks;
  readonly log: Log;
  readonly baseUrl: () => string;
}

/**
 * Explains how to create the first administrator, if there is none. On a terminal, prints a new setup link. A log is stored
 * and read by others, so the log contains only the command that prints a link.
 *
 * @param announce null if standard output is not a terminal.
 */
export async function announceSetup(
  { oneTimeLinks, log, baseUrl }: SetupDeps,
  announce: Announce | null,
): Promise<void> {
  if (await oneTimeLinks.hasAdministrator()) return;
  if (announce === null) {
    log.warn(
      'there is no administrator: run "npm run gatehouse -- setup-link" and redeem the link that it prints',
    );
    return;
  }
  const link = await oneTimeLinks.issueSetup();
  if (link === null) return;
  const lines = describeLink({ ...link, purpose: 'setup', baseUrl: baseUrl() });
  announce(`\nThere is no administrator yet.\n${lines.join('\n')}\n\n`);
}
