import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureOf, passagesOf, read } from '../documents.suite.ts';

const TYPE = 'text/html';
const passages = (html: string) => passagesOf(html, TYPE);

describe('the HTML parser', () => {
  test('returns headings, paragraphs and intended line breaks with decoded entities', async () => {
    const html =
      '<h1>Terms &amp;\n conditions</h1>a<p>b\n c<br>d <em>e</em>f</p><h2>Two</h2><div>&#x1F600;';
    assert.deepEqual(await passages(html), [
      'Terms & conditions: a\n\nb c\nd ef',
      'Terms & conditions > Two: 😀',
    ]);
  });

  test('returns the declared title and language', async () => {
    const html = '<html lang="de-AT"><title> A &amp; B </title><svg><title>no</title></svg><p>x';
    const { title, language } = await read(html, TYPE);
    assert.deepEqual({ title, language }, { title: 'A & B', language: 'de-AT' });
    assert.equal((await read('<html lang="?"><h1>One</h1>x', TYPE)).title, 'One');
    assert.equal((await read('<html lang="?"><p>x', TYPE)).language, null);
  });

  test('omits hidden elements', async () => {
    const html = `<style>s</style><script>if (a < b) s()</script><template><p>t</p></template><nav>n
      <p>n</p></nav><p hidden>h</p><p style="display: none">h</p><span aria-hidden="true">i</span>
      <noscript>n</noscript><ruby>漢<rt>かん</rt></ruby><!-- c --><p>shown`;
    assert.deepEqual(await passages(html), ['漢\n\nshown']);
  });

  test('leaves out text that is struck out, and keeps the meaning of powers', async () => {
    const html = `<p>Now <del>90</del> <s>80</s> 70 EUR for 20 m<sup>2</sup>, 10<sup>-6</sup> g,
      5<sup>th</sup> floor, note<sup>1</sup><p>2 km<sup>3</sup>`;
    assert.deepEqual(await passages(html), [
      'Now 70 EUR for 20 m², 10^-6 g, 5th floor, note1\n\n2 km³',
    ]);
  });

  test('keeps the markers, numbers and levels of lists', async () => {
    const html = `<p>Buy:<ul><li>milk<li>fruit<ol start="3"><li>apple</li><li>pear<br>ripe</ol>
      <li><p>bread</p><p>fresh</p></ul><dl><dt>Term<dd>Meaning</dl>`;
    assert.deepEqual(await passages(html), [
      'Buy:\n\n- milk\n- fruit\n  3. apple\n  4. pear\n     ripe\n- bread\n  fresh\n\nTerm\n  Meaning',
    ]);
  });

  test('finds headings in lists and in layout tables', async () => {
    const html = `<ul><li>a<h2>Card</h2>b</li><li>c</ul>
      <table><tr><td>left<td><h2>Right</h2><p>d</table>`;
    assert.deepEqual(await passages(html), ['- a', 'Card: b\n- c\n\nleft', 'Right: d']);
  });

  test('adds the column name to each table value, including cells that span rows or columns', async () => {
    const html = `<table><caption>Prices</caption><thead><tr><td>Size<td>From<td>To</thead>
      <tr><td rowspan="2">S<td>1<td>2<tr><td>3<td>4<tr><td colspan="2">none<td>5</table>`;
    assert.deepEqual(await passages(html), [
      'Prices\n\nSize: S | From: 1 | To: 2\nSize: S | From: 3 | To: 4\nSize: none | To: 5',
    ]);
  });

  test('recognises a table header only in a bold first row or a row of header cells', async () => {
    const bold = '<table><tr><td><b>A</b><td><b>B</b><tr><td>1<td>2</table>';
    assert.deepEqual(await passages(bold), ['A: 1 | B: 2']);
    const pairs = '<table><tr><th>Name<td>Ada<tr><th>City<td>London</table>';
    assert.deepEqual(await passages(pairs), ['Name | Ada\nCity | London']);
    assert.deepEqual(await passages('<table><tr><th>A<th>B</table>'), ['A | B']);
  });

  test('combines the levels of a header', async () => {
    const head = `<tr><th rowspan="2">Size<th colspan="2">Price<tr><th>EU<th>US`;
    const rows = '<tr><td>S<td>1<td>2<tr><td colspan="2">M<td>3';
    const expected = ['Size: S | Price › EU: 1 | Price › US: 2\nSize: M | Price › US: 3'];
    for (const table of [
      `<table><thead>${head}</thead>${rows}</table>`,
      `<table>${head}${rows}</table>`,
      `<table>${head.replace(/<th([^<]*)/g, '<td$1</b>').replace(/>(\w)/g, '><b>$1')}${rows}</table>`,
    ])
      assert.deepEqual(await passages(table), expected);
  });

  test('reads rows of header cells that are not a header', async () => {
    const total = '<table><tr><th>Name<th>Price<tr><td>A<td>1<tr><th>Total<th>1</table>';
    assert.deepEqual(await passages(total), ['Name: A | Price: 1\nName: Total | Price: 1']);
    const all = '<table><tr><th>Name<th>Price<tr><th>A<th>1<tr><th>B<th>2</table>';
    assert.deepEqual(await passages(all), ['Name: A | Price: 1\nName: B | Price: 2']);
  });

  test('takes a cell across the table for a title of the rows below', async () => {
    const html = `<table><tr><th colspan="2">Prices<tr><th>Name<th>Price<tr><td colspan="2">Lamps
      <tr><td>A<td>1<tr><th colspan="2">Chairs<tr><td>B<td>2</table>`;
    assert.deepEqual(await passages(html), [
      'Prices\n\nLamps\n\nName: A | Price: 1\n\nChairs\n\nName: B | Price: 2',
    ]);
  });

  test('keeps the lines and indents of code', async () => {
    assert.deepEqual(await passages('<pre>a\n  <b>b</b>\n\nc</pre>'), ['a\n  b\n\nc']);
  });

  test('parses broken markup leniently', async () => {
    assert.deepEqual(await passages('<h1>A<p>b</h2></td></ul></li><tr><td>c<h2>d'), [
      'A b c > d: d',
    ]);
  });

  test('reports a million nested levels as too complex', async () => {
    for (const tag of ['<div>', '<ul><li>', '<table><tr><td>', '<b>'])
      assert.match(await failureOf(tag.repeat(1_000_000), TYPE), /^too-complex: /);
  });
});
