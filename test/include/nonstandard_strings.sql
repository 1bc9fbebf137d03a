-- Backslashes in literals, as servers before 19 can have them
DO $$BEGIN
	IF current_setting('server_version_num')::int < 190000 THEN
		SET standard_conforming_strings = off;
		SET escape_string_warning = off;
	END IF;
END$$;
