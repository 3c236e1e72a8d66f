import { spawn } from 'node:child_process';

/**
 * Runs a program in a separate process, so that it shares no thread with the caller. Returns its standard output.
 *
 * @param program path of the file.
 * @param request value that the program gets as JSON on its standard input.
 */
export async function runProgram(program: string, request: object): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(request));
  const output: Buffer[] = [];
  for await (const chunk of child.stdout) output.push(chunk as Buffer);
  const text = Buffer.concat(output).toString();
  if (text === '') throw new Error(`${program} ended without a result`);
  return text;
}
