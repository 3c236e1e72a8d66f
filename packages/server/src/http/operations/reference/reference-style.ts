/** The style of the reference, the only thing that the page's content security policy admits. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #fff; --side: #f7f8fa; --text: #1d2430; --quiet: #5a6472; --line: #e3e7ec;
  --accent: #0b6b5d; --chip: #eef1f4; --code: #f4f6f8; --pre: #f7f8fa;
  --get: #1559b0; --post: #0a6b3d; --put: #8a5300; --patch: #6b3fa8; --delete: #b3261e;
  --string: #0a6b3d; --value: #9a3e00; --name: #1559b0;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --side: #0e1217; --text: #dfe5ec; --quiet: #98a3b1; --line: #28303a;
    --accent: #5fd0bb; --chip: #222a34; --code: #1c232c; --pre: #0e1217;
    --get: #7db4f5; --post: #6fd19b; --put: #e5b567; --patch: #c3a4f5; --delete: #f5938c;
    --string: #86d9a8; --value: #f0ab7a; --name: #8fbff7;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr);
  background: var(--page); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre, .type, .status, .method { font-family: var(--mono); }
code { font-size: .88em; overflow-wrap: anywhere; }
p code, td code, dd code { background: var(--code); padding: .1em .25em; border-radius: 3px; }
p { margin: .5rem 0; }
small { color: var(--quiet); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; background: var(--page); padding: .5rem; }

nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem;
  background: var(--side); border-right: 1px solid var(--line); font-size: .86rem;
}
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li > a { display: block; margin-top: 1rem; color: var(--text); font-weight: 600; }
nav li li a {
  display: flex; gap: .5rem; align-items: baseline; padding: .17rem .35rem; margin: 0 -.35rem;
  border-radius: 4px; color: var(--quiet);
}
nav li li a:hover { background: var(--chip); color: var(--text); text-decoration: none; }
nav .method { flex: 0 0 3.1rem; font-size: .62rem; }
nav .path { min-width: 0; font-size: .76rem; }
.brand { margin: 0; font-size: 1.05rem; font-weight: 700; }
.brand a { color: inherit; }
.brand small { font-weight: 400; }

main { padding: 2.5rem 3rem 6rem; max-width: 88rem; }
h1, h2, h3, h4 { line-height: 1.25; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 4rem 0 .5rem; font-size: 1.5rem; letter-spacing: -.01em; }
h4 { margin: 1.6rem 0 .4rem; font-size: .92rem; }
header p, section > p, .schemes { max-width: 46rem; }
.lead { font-size: 1.15rem; color: var(--quiet); margin-bottom: 1rem; }
.where { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; margin-top: 1rem; }
.where span, .chips > span:first-child { color: var(--quiet); font-size: .86rem; }
.schemes div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.schemes dt { font-weight: 600; } .schemes dt::first-letter { text-transform: uppercase; } .schemes dd { margin: 0; }

.list { list-style: none; margin: 1.25rem 0 0; padding: 0; border: 1px solid var(--line); border-radius: 8px; }
.list li + li { border-top: 1px solid var(--line); }
.list a {
  display: grid; grid-template-columns: 4.2rem minmax(0, 19rem) minmax(0, 1fr); gap: .75rem;
  align-items: baseline; padding: .45rem .9rem; color: inherit;
}
.list a:hover { background: var(--side); text-decoration: none; }
.list a > span:last-child { color: var(--quiet); }

.method { font-size: .72rem; font-weight: 700; letter-spacing: .03em; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.path em { font-style: normal; color: var(--accent); }

article { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
h3 { margin: 0 0 .75rem; font-size: 1.1rem; font-weight: 600; }
h3 a { color: inherit; }
h3 .method { font-size: .78rem; margin-right: .35rem; }
.sides { display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
.summary { margin-top: 0; font-weight: 500; }
.examples { position: sticky; top: 1rem; }
.chips { display: flex; flex-wrap: wrap; gap: .35rem; align-items: center; }
.chip { background: var(--chip); border-radius: 99px; padding: .05rem .6rem; font-size: .8rem; }
.note { color: var(--quiet); font-size: .86rem; margin: .35rem 0; }
.status { font-size: .8rem; font-weight: 600; color: var(--post); }
.status.error { color: var(--delete); }

table { width: 100%; border-collapse: collapse; font-size: .87rem; }
th { text-align: left; font-weight: 500; color: var(--quiet); font-size: .78rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
.members { table-layout: fixed; }
.members th:nth-child(1) { width: 36%; } .members th:nth-child(2) { width: 26%; }
.members td:first-child code { background: none; padding: 0; font-weight: 600; }
.members small { display: block; font-size: .78rem; }
.type { font-size: .8rem; color: var(--quiet); }
.required { color: var(--delete); font-weight: 500; font-size: .72rem; white-space: nowrap; }
.optional { color: var(--quiet); font-weight: 400; font-size: .72rem; }
.d1 td:first-child { padding-left: 1.1rem; } .d2 td:first-child { padding-left: 2.2rem; }
.d3 td:first-child { padding-left: 3.3rem; } .d4 td:first-child { padding-left: 4.4rem; }
.d5 td:first-child { padding-left: 5.5rem; }
.errors td:first-child { width: 3.5rem; }
.code { color: var(--quiet); }
details { margin: .3rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .87rem; }

figure { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--pre); }
figcaption { padding: .35rem .85rem; border-bottom: 1px solid var(--line); color: var(--quiet); font-size: .78rem; }
pre { margin: 0; padding: .75rem .85rem; overflow: auto; max-height: 32rem; font-size: .8rem; line-height: 1.5; tab-size: 2; }
pre i { font-style: normal; }
.n { color: var(--name); } .s { color: var(--string); } .v { color: var(--value); }

@media (max-width: 75rem) {
  .sides { grid-template-columns: minmax(0, 1fr); }
  .examples { position: static; margin-top: 1.5rem; }
  main { padding: 2rem 2rem 5rem; }
  .list a { grid-template-columns: 3.8rem minmax(0, 1fr); gap: 0 .5rem; }
  .list a > span:last-child { grid-column: 2; font-size: .86rem; }
}
@media (max-width: 52rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .9rem 1rem; }
  nav > ul { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .6rem; }
  nav > ul > li > a { margin: 0; padding: .25rem .7rem; background: var(--chip); border-radius: 99px; font-weight: 500; }
  nav li ul { display: none; }
  main { padding: 1.5rem 1rem 4rem; }
  h1 { font-size: 1.6rem; }
  .schemes div { grid-template-columns: minmax(0, 1fr); }
  .members thead { display: none; }
  .members tr { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 .75rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .members td { padding: 0; border: 0; }
  .members td:nth-child(2) { text-align: right; }
  .members td:nth-child(3) { grid-column: 1 / -1; }
  .d1 { margin-left: 1rem; } .d2 { margin-left: 2rem; } .d3, .d4, .d5 { margin-left: 3rem; }
  .members tr td:first-child { padding-left: 0; }
}
@media print {
  body { display: block; } nav { display: none; } .examples { position: static; }
}
`;
