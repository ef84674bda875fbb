// Exit 0 when the page given as argument answers 200 within 4 seconds: the images have no curl.
const address = process.argv[2];
if (!address) {
  process.stderr.write('usage: healthcheck.mjs <url>\n');
  process.exit(2);
}
try {
  const response = await fetch(address, { signal: AbortSignal.timeout(4_000) });
  if (response.status !== 200) {
    process.stderr.write(`${address} answers ${response.status}\n`);
    process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${address}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
