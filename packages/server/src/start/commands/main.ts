import { runCommandLine } from './command-line.ts';

// If the reader of a pipe, such as `head`, has closed it, the command still finishes its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  say: (line) => process.stdout.write(`${line}\n`),
  report: (line) => process.stderr.write(`${line}\n`),
});
