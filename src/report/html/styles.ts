/** The styles of a report: light and dark, for screens of any width and for paper. */
export const STYLES = `
:root{color-scheme:light dark;--page:#f6f7f9;--panel:#fff;--soft:#f0f2f5;--text:#1b1f24;--muted:#59636e;--line:#dfe3e8;--link:#0a58c2;--good:#1a7f37;--bad:#c4242b;--open:#8a5a00;--busy:#0a58c2;--halted:#8250a8;--idle:#6a737d;--good-soft:#dcf5e3;--bad-soft:#ffe6e6;--open-soft:#fff1d0;--busy-soft:#dfecff;--halted-soft:#f3e8fb;--idle-soft:#e9ecef;--bar:#2da44e;--bar-bad:#d9363e;--bar-wait:#e3b341;--bar-sleep:#b6a3cf}
@media (prefers-color-scheme:dark){:root{--page:#0e1116;--panel:#161b22;--soft:#1f252e;--text:#e4e8ed;--muted:#9aa5b1;--line:#2c343e;--link:#79b4ff;--good:#57c878;--bad:#ff8a85;--open:#e8b84a;--busy:#79b4ff;--halted:#d2a8f2;--idle:#98a2ad;--good-soft:#12321d;--bad-soft:#3f1719;--open-soft:#382a08;--busy-soft:#122c4d;--halted-soft:#2f1f3d;--idle-soft:#262d36;--bar:#2ea04f;--bar-bad:#e5534b;--bar-wait:#c69026;--bar-sleep:#7d69a0}}
*{box-sizing:border-box}
html{scroll-padding-top:3.2rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
code,pre,.diff,time{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.88em;background:var(--soft);border-radius:4px;padding:.08em .3em}
a{color:var(--link);text-decoration:none;text-underline-offset:2px}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px;top:0;background:var(--panel);padding:.5rem 1rem;z-index:3}
.skip:focus{left:0}
header>div,nav>div,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}
header{background:var(--panel);border-top:4px solid var(--idle);padding:22px 0 16px}
header.good{border-color:var(--good)}header.bad{border-color:var(--bad)}header.open{border-color:var(--open)}header.busy{border-color:var(--busy)}header.halted{border-color:var(--halted)}
.over{margin:0;color:var(--muted);font-size:.86rem}
h1{font-size:1.6rem;line-height:1.25;margin:.1rem 0 .9rem;letter-spacing:-.01em;display:flex;flex-wrap:wrap;gap:.3rem .7rem;align-items:center}
h1 .badge{font-size:.8rem;letter-spacing:0}
h1 small{font-weight:400;color:var(--muted);font-size:1rem}
dl{display:flex;flex-wrap:wrap;gap:.6rem 2.2rem;margin:0}
dt{color:var(--muted);font-size:.76rem}
dd{margin:0;font-variant-numeric:tabular-nums}
dd time{font-family:inherit}
nav{position:sticky;top:0;z-index:2;background:var(--panel);border-bottom:1px solid var(--line);overflow-x:auto;scrollbar-width:thin}
nav>div{display:flex;gap:1.3rem;white-space:nowrap}
nav a{padding:.55rem 0;font-size:.88rem}
main{padding-top:18px;padding-bottom:24px}
aside{border:1px solid var(--line);border-left:4px solid var(--open);background:var(--panel);border-radius:8px;padding:.7rem 1rem;margin-bottom:16px}
aside p{margin:.2rem 0}
section{background:var(--panel);border:1px solid var(--line);border-radius:10px;padding:14px 18px 16px;margin-bottom:16px}
h2{font-size:1.02rem;margin:0 0 .6rem}
p{margin:.4rem 0}
small{font-size:.82rem;color:var(--muted)}
.muted{color:var(--muted);font-size:.86rem}
.badge{display:inline-block;font-size:.76rem;font-weight:600;line-height:1.5;padding:.05rem .55rem;border-radius:99px;white-space:nowrap;color:var(--idle);background:var(--idle-soft)}
.badge.good{color:var(--good);background:var(--good-soft)}.badge.bad{color:var(--bad);background:var(--bad-soft)}.badge.open{color:var(--open);background:var(--open-soft)}.badge.busy{color:var(--busy);background:var(--busy-soft)}.badge.halted{color:var(--halted);background:var(--halted-soft)}
small.good{color:var(--good)}small.bad{color:var(--bad)}
.cut{display:block;color:var(--open);font-style:italic;font-size:.85rem}
pre{margin:.35rem 0;padding:.55rem .75rem;background:var(--soft);border-radius:6px;font-size:.82rem;line-height:1.5;white-space:pre-wrap;tab-size:4}
pre.output{font-size:.86rem}
.scroll{overflow-x:auto;max-width:100%}
details>summary{cursor:pointer}
summary::marker{color:var(--muted)}
ul.plain,ul.tasks,ul.cards{list-style:none;padding:0;margin:.4rem 0}
ul.plain li{padding:.15rem 0}
ul.tasks{columns:2;column-gap:28px}
ul.tasks li{break-inside:avoid;padding:.22rem 0}
ul.cards li{border-left:3px solid var(--line);padding:.1rem 0 .1rem .9rem;margin:.7rem 0}
table{border-collapse:collapse;width:100%;font-size:.86rem}
th,td{overflow-wrap:normal;text-align:left;vertical-align:top;padding:.34rem .9rem .34rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}thead th{color:var(--muted);font-size:.78rem}
tfoot th,tfoot td{border-bottom:0;font-weight:600}
td.wide{min-width:16rem;overflow-wrap:anywhere}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.dot{display:inline-block;flex:none;width:.6rem;height:.6rem;border-radius:50%;margin-right:.5rem;background:var(--idle)}
.good>.what .dot,.good>summary .dot{background:var(--bar)}.bad>.what .dot,.bad>summary .dot{background:var(--bar-bad)}.open>.what .dot,.open>summary .dot{background:var(--bar-wait)}.busy>.what .dot,.busy>summary .dot{background:var(--busy)}.halted>.what .dot,.halted>summary .dot{background:var(--halted)}
.timeline ol{list-style:none;margin:0;padding:0}
.timeline li,.axis{display:grid;grid-template-columns:minmax(190px,300px) 1fr 68px;gap:0 14px;align-items:center}
.axis .track{grid-column:2;height:1.3rem;font-size:.74rem;color:var(--muted);background:none}
.axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.axis span:first-child{transform:none}.axis span:last-child{transform:translateX(-100%)}
.timeline li{padding:.16rem 0;border-top:1px solid var(--line)}
.timeline .what{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:.88rem}
.timeline .took{text-align:right;color:var(--muted);font-size:.8rem;font-variant-numeric:tabular-nums}
.track{position:relative;height:1.05rem;background:linear-gradient(90deg,var(--line) 1px,transparent 1px) 0/25% 100%}
.bar,.gap{position:absolute;top:.2rem;bottom:.2rem;min-width:3px;border-radius:3px;background:var(--bar)}
.bar.failed{background:var(--bar-bad)}.bar.wait{background:var(--bar-wait)}.bar.sleep{background:var(--bar-sleep)}.bar.cancelled{background:var(--halted)}
.bar.wait,.bar.sleep{top:.38rem;bottom:.38rem}
.busy .bar.work{background:var(--busy)}
.gap{top:0;bottom:0;border-radius:0;background:repeating-linear-gradient(-45deg,var(--soft) 0 3px,transparent 3px 6px)}
.graph{max-height:1800px;overflow:auto;border-radius:6px}
.graph svg{display:block;margin:0 auto}
.graph rect{fill:var(--panel);stroke:var(--line);stroke-width:1.2}
.graph rect.mark{fill:var(--idle);stroke:none}
.graph .good rect.mark{fill:var(--bar)}.graph .bad rect.mark{fill:var(--bar-bad)}.graph .open rect.mark{fill:var(--bar-wait)}.graph .busy rect.mark{fill:var(--busy)}.graph .halted rect.mark{fill:var(--halted)}
.graph .bad rect:not(.mark){stroke:var(--bar-bad);fill:var(--bad-soft)}
.graph text{text-anchor:middle;font-size:11px;fill:var(--muted)}
.graph .name{font-size:13px;font-weight:600;fill:var(--text)}
.graph .idle .name{fill:var(--muted);font-weight:400}
.graph .idle rect{stroke-dasharray:4 3}.graph .idle rect.mark{display:none}
.graph a:hover rect:not(.mark),.graph a:focus rect:not(.mark){stroke:var(--link)}
.graph .edge{fill:none;stroke:var(--muted);stroke-width:1.3}
.graph .edge.idle{stroke:var(--line);stroke-dasharray:4 3}
.graph .head{fill:var(--muted)}
.graph .label{paint-order:stroke;stroke:var(--panel);stroke-width:4px;stroke-linejoin:round}
.visit{border-top:1px solid var(--line)}
.visit>summary{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem .8rem;align-items:center;padding:.5rem 0}
.visit>summary::-webkit-details-marker{display:none}
.visit>summary::after{content:"▸";color:var(--muted);margin-left:auto;font-size:.8rem}
.visit[open]>summary::after{content:"▾"}
.visit>.body{padding:0 0 .8rem 1.1rem;scroll-margin-top:5.5rem}
.visit>.body:target{border-left:3px solid var(--link);padding-left:.9rem}
.part{display:grid;grid-template-columns:4.6rem 1fr;gap:0 .6rem;padding:.24rem 0}
.part>time{color:var(--muted);font-size:.74rem;line-height:1.9}
.part>div{min-width:0}
.part.thinking pre{font-style:italic;color:var(--muted)}
.part.denied{color:var(--bad)}
.part.log pre{background:none;padding:0;margin:.1rem 0}
.failure{border-left:3px solid var(--bar-bad);background:var(--bad-soft);border-radius:0 6px 6px 0;padding:.5rem .8rem}
.failure pre{background:none;padding:0;margin-bottom:0}
.failure code{background:none}
.input{padding:.2rem 0}
.file{border-top:1px solid var(--line);padding:.4rem 0;margin:0}
.diff{display:inline-block;min-width:100%;font-size:.78rem;line-height:1.5;padding:.3rem 0}
.diff span{display:block;white-space:pre;tab-size:4;padding-right:.6rem}
.diff i{display:inline-block;width:3.4rem;padding-right:.8rem;text-align:right;color:var(--muted);font-style:normal;user-select:none}
.diff .added{background:var(--good-soft)}.diff .removed{background:var(--bad-soft)}
.diff .hunk{background:var(--soft);color:var(--muted);padding-left:.6rem}
.diff .cut{padding:.3rem .6rem}
footer{color:var(--muted);font-size:.82rem;padding-bottom:32px}
@media (max-width:700px){
body{font-size:16px}
header>div,nav>div,main,footer{padding-left:14px;padding-right:14px}
section{padding:12px 14px;border-radius:8px}
h1{font-size:1.35rem}
dl{display:grid;grid-template-columns:1fr 1fr;gap:.6rem 1rem}
ul.tasks{columns:1}
td.wide{min-width:9rem}
.axis{display:none}
.timeline li{grid-template-columns:1fr auto;gap:.1rem .8rem;padding:.4rem 0}
.timeline .what{white-space:normal}
.timeline .track{grid-column:1/-1;grid-row:2;height:.8rem}
.part{grid-template-columns:1fr}
.part>time{line-height:1.2}
.visit>.body{padding-left:0}
nav a{padding:.75rem 0}
.graph{max-height:70vh}
}
@media print{
nav,.skip{display:none}
body{background:#fff;font-size:11px}
section{border:0;padding:0;break-inside:auto}
details::details-content{content-visibility:visible;height:auto}
.graph{max-height:none;overflow:visible}.graph svg{max-width:100%;height:auto}
pre,.part,.timeline li{break-inside:avoid}
}
`;
