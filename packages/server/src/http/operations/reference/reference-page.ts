import type { OpenApiDocument } from '@gatehouse/contract';
import { credentialsSection } from './reference-credentials.ts';
import type { Described } from './reference-curl.ts';
import { errorsSection } from './reference-errors.ts';
import { type Html, html, join, prose } from './reference-html.ts';
import { endpoint, operationSection } from './reference-operation.ts';
import { REFERENCE_STYLE } from './reference-style.ts';
import { type Resolve, resolver } from './reference-type.ts';

interface Section {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Described[];
}

/** The document as a page to read: static, without scripts, and with nothing from elsewhere. */
export function referencePage(document: OpenApiDocument): string {
  const { info } = document;
  const sections = sectionsOf(document);
  const resolve = resolver(document.components.schemas);
  const baseUrl = document.servers[0]?.url ?? '';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} ${info.version}: API reference</title>
<style>${{ html: REFERENCE_STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Contents">
<p class="brand"><a href="#top">${info.title}</a> <small>${info.version}</small></p>
<ul>
<li><a href="#credentials">Credentials</a></li>
<li><a href="#errors">Errors</a></li>
${sections.map(contents)}
</ul>
</nav>
<main id="content">
<header id="top">
<h1>${info.title} API</h1>
<p class="lead">${info.summary}</p>
${info.description.split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}
<p class="where"><span>Base URL</span> <code>${baseUrl}</code> <a href="openapi.json">openapi.json</a></p>
</header>
${credentialsSection(document)}
${errorsSection(document, resolve)}
${sections.map((section) => sectionHtml(section, resolve, baseUrl))}
</main>
</body>
</html>
`.html;
}

function sectionsOf({ tags, paths }: OpenApiDocument): Section[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return tags.map(({ name, description }) => ({
    id: name.toLowerCase().replace(/[^a-z]+/g, '-'),
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function contents({ id, name, operations }: Section): Html {
  return html`<li><a href="#${id}">${name}</a><ul>${operations.map(
    (described) =>
      html`<li><a href="#${described.operation.operationId}" title="${described.operation.summary}">${endpoint(described)}</a></li>`,
  )}</ul></li>`;
}

function sectionHtml(section: Section, resolve: Resolve, baseUrl: string): Html {
  const list = section.operations.map(
    (described) =>
      html`<li><a href="#${described.operation.operationId}">${endpoint(described)}<span>${prose(described.operation.summary)}</span></a></li>`,
  );
  const articles = section.operations.map((one) => operationSection(one, resolve, baseUrl));
  return html`<section id="${section.id}"><h2>${section.name}</h2><p>${section.description}</p><ul class="list">${list}</ul>
${join(articles, '\n')}
</section>`;
}
