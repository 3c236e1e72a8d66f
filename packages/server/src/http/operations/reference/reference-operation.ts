import type { ParameterObject, ResponseObject } from '@gatehouse/contract';
import { credentialChips } from './reference-credentials.ts';
import { curlLine, type Described } from './reference-curl.ts';
import { errorList } from './reference-errors.ts';
import { exampleFigure } from './reference-figure.ts';
import { type Html, html, NOTHING, prose } from './reference-html.ts';
import { colouredJson } from './reference-json.ts';
import { membersTable, schemaTable } from './reference-schema.ts';
import type { Resolve } from './reference-type.ts';

/** One operation: on the left what it takes and answers, on the right an example of both. */
export function operationSection(described: Described, resolve: Resolve, baseUrl: string): Html {
  const { operation } = described;
  const answers = Object.entries(operation.responses);
  const successes = answers.filter(([status]) => status.startsWith('2'));
  const errors = answers.filter(([status]) => !status.startsWith('2'));
  return html`<article id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${endpoint(described)}</a></h3>
<div class="sides"><div class="words">
<p class="summary">${prose(operation.summary)}</p>
${operation.description === undefined ? NOTHING : html`<p>${prose(operation.description)}</p>`}
${credentialChips(operation)}
${parameters('Path', 'path', operation.parameters)}
${parameters('Query', 'query', operation.parameters)}
${requestBody(described, resolve)}
${successes.map(([status, answer]) => answerWords(status, answer, resolve))}
${errorList(errors)}
</div><div class="examples">
${exampleFigure('Request', html`${curlLine(described, baseUrl)}`)}
${successes.map(([status, answer]) => answerExample(status, answer))}
</div></div>
</article>`;
}

/** Method and path, as they stand in headings and lists. */
export function endpoint({ method, path }: Described): Html {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    if (part.startsWith('{')) return html`<em>${part}</em>`;
    return html`${part.split('/').map((name, index) => (index === 0 ? html`${name}` : html`/<wbr>${name}`))}`;
  });
  return html`<span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${parts}</code>`;
}

function parameters(
  title: string,
  place: ParameterObject['in'],
  all: readonly ParameterObject[] = [],
): Html {
  const chosen = all.filter((parameter) => parameter.in === place);
  if (chosen.length === 0) return NOTHING;
  const members = chosen.map((one) => ({ ...one, depth: 0, description: one.description ?? '' }));
  return html`<h4>${title}</h4>${membersTable(members, 'request')}`;
}

function requestBody({ operation }: Described, resolve: Resolve): Html {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return schema === undefined
    ? NOTHING
    : html`<h4>Body</h4>${schemaTable(schema, resolve, 'request')}`;
}

function answerWords(status: string, answer: ResponseObject, resolve: Resolve): Html {
  const headers = Object.entries(answer.headers ?? {}).flatMap(([name, header]) =>
    'description' in header
      ? [html`<p class="note"><code>${name}</code> ${prose(header.description)}</p>`]
      : [],
  );
  const schema = answer.content?.['application/json']?.schema;
  return html`<h4>Answer <span class="status">${status}</span></h4><p>${prose(answer.description)}</p>${headers}${
    schema === undefined
      ? NOTHING
      : html`<details><summary>Its members</summary>${schemaTable(schema, resolve, 'answer')}</details>`
  }`;
}

function answerExample(status: string, answer: ResponseObject): Html {
  const [mediaType, content] = Object.entries(answer.content ?? {})[0] ?? [];
  if (content === undefined) return NOTHING;
  const json = mediaType === 'application/json';
  return exampleFigure(
    `Answer ${status}`,
    json ? colouredJson(content.example) : html`${String(content.example)}`,
  );
}
