import { createInterface } from 'node:readline/promises';
import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { EXIT, Failure, interrupted } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';

type Terminal = Pick<Shell, 'stdin' | 'stderr'>;

/** Asks a question on the terminal. Rejects if the user presses Ctrl+C or Ctrl+D. */
export async function ask({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(interrupted()));
  });
  closed.catch(() => {});
  try {
    return (await Promise.race([lines.question(question), closed])).trim();
  } finally {
    lines.close();
  }
}

/**
 * Reads a secret from the terminal without echo, or from standard input.
 *
 * @param signal stops waiting for the end of standard input.
 */
export async function readSecret(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const { stdin } = terminal;
  const secret = stdin.isTTY
    ? await readHidden(terminal, question)
    : await readAll(addAbortSignal(signal, stdin));
  const value = secret.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new Failure({
    exitCode: EXIT.noInput,
    code: 'cli.no-secret',
    message: 'Standard input contains no secret. Type it on a terminal, or pipe it to the command.',
  });
}

function readHidden({ stdin, stderr }: Terminal, question: string): Promise<string> {
  // The echo is turned off before the question appears, because somebody may type at once.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.resume();
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let typed = '';
    const end = (settle: () => void) => {
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      settle();
    };
    const onData = (chunk: string) => {
      for (const character of chunk) {
        if (character === '\r' || character === '\n' || character === '\u0004')
          return end(() => resolve(typed));
        if (character === '\u0003') return end(() => reject(interrupted()));
        typed = /[\b\u007f]/.test(character) ? [...typed].slice(0, -1).join('') : typed + character;
      }
    };
    stdin.on('data', onData);
  });
}
