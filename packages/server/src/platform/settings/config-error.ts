/**
 * What keeps the service from starting and only the operator can mend: wrong settings, unusable
 * key files. `problems` has one line for each, fit to be printed as it is; none holds a secret.
 */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
