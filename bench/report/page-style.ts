/** The style of the results' page: system fonts, light and dark by the reader's setting. */

export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1c1f23; --back: #fff; --line: #d8dce0; --head: #f3f5f7;
  --good: #d3f0dd; --fair: #fdf0c4; --bad: #fbd5d0; --s0: #0b6e4f; --s1: #c8553d; --s2: #3d5a80; --s3: #b07d12; --s4: #7a4f9a; --s5: #557; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ea; --back: #14171a; --line: #363c42; --head: #1f2429;
  --good: #14432a; --fair: #4b3c0c; --bad: #5a211b; --s0: #4fc79b; --s1: #ef8a73; --s2: #8fb2e0; --s3: #e3b549; --s4: #c09be0; --s5: #aab; } }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 110rem; margin: 0 auto; padding: 1rem; }
p { max-width: 60rem; }
a { color: inherit; }
.wide { overflow-x: auto; margin: 1rem 0 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: right; }
thead th { background: var(--head); vertical-align: bottom; white-space: normal; min-width: 4rem; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--back); font-weight: 500; }
thead th:first-child { background: var(--head); }
.good { background: var(--good); } .fair { background: var(--fair); } .bad { background: var(--bad); }
svg { display: block; } line { stroke: currentColor; stroke-width: 1.4; opacity: .6; } circle { fill: currentColor; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); } .s3 { color: var(--s3); } .s4 { color: var(--s4); } .s5 { color: var(--s5); }
@media print { .wide { overflow: visible; } }
`;
