/** Runs the test files that its arguments name, all in this process. */
for (const file of process.argv.slice(2)) await import(file);
