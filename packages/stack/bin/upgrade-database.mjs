// `npm run upgrade-database`: brings a database of an earlier version up to date, as the next start would.
import { withDatabase } from './with-database.mjs';

await withDatabase(['db', 'migrate.js'], ({ runUpgradeCommand }, databaseUrl) =>
  runUpgradeCommand(databaseUrl, (line) => console.log(line)),
);
