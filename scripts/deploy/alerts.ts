import { at, type Mapping, yamlOf } from './files.ts';

export interface Alert {
  readonly name: string;
  readonly expression: string;
  readonly labels: Mapping;
  readonly summary: string;
}

export function readAlerts(): Alert[] {
  const groups = yamlOf('alerts.yml')['groups'] as Mapping[];
  return groups.flatMap(({ rules }) =>
    (rules as Mapping[]).map((rule) => ({
      name: String(rule['alert']),
      expression: String(rule['expr']),
      labels: rule['labels'] as Mapping,
      summary: String(at(rule, 'annotations', 'summary')),
    })),
  );
}

/** A metric in an expression, with its label matchers. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly {
    readonly label: string;
    readonly operator: string;
    readonly value: string;
  }[];
}

/** Returns the metrics of a PromQL expression: all words with an underscore outside of label matchers, and `up`. */
export function selectorsOf(expression: string): Selector[] {
  const named = expression.matchAll(/\b(up|[a-z]+(?:_[a-z0-9]+)+)\b(?!\s*\()(?:\{([^}]*)\})?/g);
  return [...named].map(([, metric = '', labels = '']) => ({
    metric,
    matchers: [...labels.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}
