-- Where there are several brokers, those that an instance is connected to, as host:port: at each broker the instances that are
-- connected to it divide the machines. Null: it knows one broker.
ALTER TABLE ingest_instances ADD COLUMN brokers text[];
