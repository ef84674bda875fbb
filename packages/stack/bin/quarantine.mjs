// `npm run quarantine -- list|replay`: journal messages that were refused.
import { withDatabase } from './with-database.mjs';

await withDatabase(['ingest', 'quarantine.js'], ({ runQuarantineCommand }, databaseUrl) =>
  runQuarantineCommand(process.argv.slice(2), databaseUrl, (line) => console.log(line)),
);
