import { Parser } from 'htmlparser2';
import { type Facts, languageOf, titleOf } from '../../facts.ts';

/** Title and language of a document's core properties (ECMA-376 part 2, section 11), Dublin Core in XML. */
export function factsOf(xml: string): Facts {
  const found = new Map<string, string>();
  let element = '';
  const parser = new Parser(
    {
      onopentag: (name) => {
        element = name;
      },
      ontext: (text) => {
        found.set(element, (found.get(element) ?? '') + text);
      },
      onclosetag: () => {
        element = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return { title: titleOf(found.get('dc:title')), language: languageOf(found.get('dc:language')) };
}
