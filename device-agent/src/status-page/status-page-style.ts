/** The portal's colours in small: a warm, near-neutral ramp and one ember accent. */
export const statusPageStyle = `
:root{color-scheme:light dark;--page:oklch(.968 .004 75);--surface:oklch(.995 .002 80);--strong:oklch(.21 .012 55);--content:oklch(.34 .012 55);--muted:oklch(.475 .012 60);--stroke:oklch(.89 .006 70);--good:oklch(.45 .1 152);--good-soft:oklch(.945 .035 155);--warning:oklch(.46 .095 80);--warning-soft:oklch(.95 .05 90);--trouble:oklch(.49 .19 22);--trouble-soft:oklch(.945 .027 20)}
@media (prefers-color-scheme:dark){:root{--page:oklch(.175 .006 60);--surface:oklch(.208 .007 60);--strong:oklch(.965 .005 80);--content:oklch(.86 .008 75);--muted:oklch(.71 .011 70);--stroke:oklch(.285 .008 60);--good:oklch(.78 .13 152);--good-soft:oklch(.28 .045 155);--warning:oklch(.82 .12 85);--warning-soft:oklch(.29 .045 85);--trouble:oklch(.77 .13 22);--trouble-soft:oklch(.29 .06 22)}}
*{box-sizing:border-box;margin:0;padding:0}
body{background:var(--page);color:var(--content);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1040px;margin:0 auto;padding:24px 20px 40px;display:grid;gap:20px}
header{display:flex;justify-content:space-between;align-items:center;gap:16px}
h1{color:var(--strong);font-size:22px;line-height:1.25;letter-spacing:-.01em;overflow-wrap:anywhere}
header p,h2 small,.empty,footer,dt,.label{color:var(--muted)}
h2{font-size:13px;font-weight:600;color:var(--strong);margin-bottom:8px}
h2 small{font-weight:400;font-size:13px;margin-left:6px}
.badge{font-weight:600;border-radius:999px;padding:4px 14px;white-space:nowrap}
.badge.good{color:var(--good);background:var(--good-soft)}
.badge.warning,.warning{color:var(--warning);background:var(--warning-soft)}
.badge.trouble,.trouble{color:var(--trouble);background:var(--trouble-soft)}
ul{list-style:none}
.concerns{display:grid;gap:8px}
.concerns li{border-radius:10px;padding:12px 14px;display:grid;gap:2px;overflow-wrap:anywhere}
.concerns strong{font-weight:600}.concerns span{color:var(--content)}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(148px,1fr));gap:10px}
.tile,.columns section{background:var(--surface);border:1px solid var(--stroke);border-radius:12px;padding:12px 14px}
.tile{display:grid;gap:2px}
.label{font-size:13px;overflow-wrap:anywhere}
.figure{font-size:26px;line-height:1.2;font-weight:600;color:var(--strong)}
.figure small{font-size:14px;font-weight:400;color:var(--muted);margin-left:4px}
.stale .figure{color:var(--muted);font-weight:400}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:12px}
.row{padding:7px 0;border-top:1px solid var(--stroke)}
.row:first-child{border-top:0;padding-top:0}.row:last-child{padding-bottom:0}
dt{font-size:13px}dd{overflow-wrap:anywhere}
.good{color:var(--good)}.poor{color:var(--trouble)}
code{font:13px ui-monospace,monospace;color:var(--content)}
footer{font-size:13px}
@media (max-width:480px){main{padding:16px 14px 32px}.tiles{grid-template-columns:1fr 1fr}}
`;
