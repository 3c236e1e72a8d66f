import { at, type Mapping, textOf, yamlOf } from './files.ts';

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

/** A PromQL expression and the place where it is used. */
export interface Query {
  readonly name: string;
  readonly expression: string;
}

/** Returns the queries of the Grafana dashboard. */
export function readPanelQueries(): Query[] {
  const { panels } = JSON.parse(textOf('grafana.json')) as { panels: Mapping[] };
  return panels.flatMap(({ title, targets = [] }) =>
    (targets as Mapping[]).map(({ expr }) => ({
      name: `panel ${String(title)}`,
      expression: String(expr),
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

/** Returns the labels by which a PromQL expression groups its series. */
export function groupLabelsOf(expression: string): string[] {
  return [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(/\s*,\s*/),
  );
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
