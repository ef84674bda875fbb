-- The roast whose original an upload is: it is changed, and no second one is created.
ALTER TABLE roast_uploads ADD COLUMN roast_id uuid REFERENCES roasts ON DELETE CASCADE;

-- Of tables, earlier versions read a time without a zone only from Artisan's and from file names. The time of any other table, our own
-- workbooks among them, has its zone or was entered by a person.
DELETE FROM times_to_check t USING recordings c
 WHERE c.id = t.recording_id AND t.state = 'open' AND c.file_format IN ('csv', 'xlsx')
   AND NOT ARRAY(SELECT value->>'label' FROM jsonb_each(coalesce(c.channel_labels, '{}'))) @> '{BT,ET}'
   AND coalesce(c.file_name, '') !~ '20[0-9]{2}[-_][0-9]{1,2}[-_][0-9]{1,2}[ _T-][0-9]{1,2}[_:.-]?[0-9]{2}';
