import type { OpenApiDocument, ResponseObject } from '@gatehouse/contract';
import { exampleFigure } from './reference-figure.ts';
import { type Html, html, prose } from './reference-html.ts';
import { colouredJson } from './reference-json.ts';
import { schemaTable } from './reference-schema.ts';
import type { Resolve } from './reference-type.ts';

export type Answers = readonly (readonly [status: string, answer: ResponseObject])[];

/** The form that all errors share, with an example that the document has. */
export function errorsSection({ paths }: OpenApiDocument, resolve: Resolve): Html {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const answer = operations
    .map(({ responses }) => responses['400'])
    .find((one) => one !== undefined);
  const shown = answer?.content?.['application/json'];
  if (shown === undefined) return html``;
  return html`<section id="errors"><h2>Errors</h2><div class="sides"><div class="words">${schemaTable(
    shown.schema,
    resolve,
    'answer',
  )}</div><div class="examples">${exampleFigure('Answer 400', colouredJson(shown.example))}</div></div></section>`;
}

/** The errors of one operation: what each status means, and a code that comes with it. */
export function errorList(errors: Answers): Html {
  const statuses = errors.map(([status]) => html`<span class="status error">${status}</span> `);
  const rows = errors.map(
    ([status, answer]) =>
      html`<tr><td><span class="status error">${status}</span></td><td>${prose(answer.description)} <span class="code">For example <code>${codeOf(answer)}</code></span></td></tr>`,
  );
  return html`<h4>Errors</h4><details><summary>${statuses}</summary><table class="errors"><tbody>${rows}</tbody></table></details>`;
}

function codeOf({ content }: ResponseObject): string {
  const example = content?.['application/json']?.example as { code?: string } | undefined;
  return example?.code ?? '';
}
