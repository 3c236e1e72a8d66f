import type { OpenApiDocument, OperationObject } from '@gatehouse/contract';
import { type Html, html, prose } from './reference-html.ts';

const NAMES: Readonly<Record<string, string>> = {
  session: 'session',
  apiKey: 'API key',
  apiKeyHeader: 'API key',
  widgetSession: 'widget session',
};

/** What each kind of credential is and how it is sent. */
export function credentialsSection({ components }: OpenApiDocument): Html {
  const schemes = Object.entries(components.securitySchemes);
  return html`<section id="credentials"><h2>Credentials</h2><dl class="schemes">${schemes.map(
    ([scheme, { description }]) =>
      html`<div><dt>${nameOf(scheme)}</dt><dd>${prose(description)}</dd></div>`,
  )}</dl></section>`;
}

/** The kinds of credential that an operation takes. */
export function credentialChips({ security }: OperationObject): Html {
  const names = security.flatMap((alternative) => Object.keys(alternative).map(nameOf));
  const inBody = security.some((alternative) => Object.keys(alternative).length === 0);
  const chips = [...new Set([...names, ...(inBody ? ['in the body'] : [])])];
  const shown = chips.length === 0 ? ['none'] : chips;
  return html`<p class="chips"><span>Credential</span> ${shown.map(
    (chip) => html`<span class="chip">${chip}</span> `,
  )}</p>`;
}

function nameOf(scheme: string): string {
  return NAMES[scheme] ?? scheme;
}
