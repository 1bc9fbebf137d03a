import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** JdbcClient STAGE ARGUMENT... */
public final class JdbcClient {
	private static final String MIGRATION =
		// docs: migration
		"CREATE TABLE legacy (id serial PRIMARY KEY, item text);"
		+ "SELECT idgen.idgen_create('parts', refill => 'auto');"
		+ "CREATE TABLE parts (id bigint PRIMARY KEY DEFAULT idgen.idgen_next('parts'), item text)";
		// docs: end

	// docs: insert
	/** A batch: the ids are those of column "id", in the order of the rows. */
	static List<Long> insert(Connection connection, String table, List<String> items) throws SQLException {
		List<Long> ids = new ArrayList<>();

		try (PreparedStatement insert = connection.prepareStatement(
				"INSERT INTO " + table + " (item) VALUES (?)", new String[] { "id" })) {
			for (String item : items) {
				insert.setString(1, item);
				insert.addBatch();
			}
			insert.executeBatch();
			try (ResultSet keys = insert.getGeneratedKeys()) {
				while (keys.next())
					ids.add(keys.getLong(1));
			}
		}
		return ids;
	}
	// docs: end

	private static void draw(String table, String item) throws Exception {
		List<String> one = Collections.singletonList(item);

		for (String options : new String[] { "", "&reWriteBatchedInserts=true", "&preferQueryMode=simple" }) {
			try (Connection connection = DriverManager.getConnection(Stages.URL + options)) {
				Stages.print(insert(connection, table, one));
				Stages.print(insert(connection, table, Collections.nCopies(Stages.ROWS, item)));
			}
		}

		ThreadLocal<Connection> ofThread = ThreadLocal.withInitial(() -> {
			try {
				return DriverManager.getConnection(Stages.URL);
			} catch (SQLException e) {
				throw new IllegalStateException(e);
			}
		});
		Stages.print(Stages.eightAtOnce(() -> insert(ofThread.get(), table, one).get(0)));
	}

	/** The default that the driver tells of, as tools ask it. */
	private static void introspect() throws SQLException {
		try (Connection connection = DriverManager.getConnection(Stages.URL);
				ResultSet columns = connection.getMetaData().getColumns(null, "public", "legacy", "id")) {
			if (!columns.next() || !columns.getString("COLUMN_DEF").startsWith("idgen.idgen_next("))
				throw new IllegalStateException("getColumns tells another default");
		}
	}

	public static void main(String[] args) throws Exception {
		switch (args[0]) {
			case "migrate":
				Stages.run(MIGRATION);
				break;
			case "draw":
				draw(args[1], args[2]);
				break;
			case "adopt":
				Stages.run(Stages.ADOPT);
				break;
			case "further":
				introspect();
				Stages.run("ALTER TABLE legacy ADD COLUMN note text");
				break;
			case "release":
				Stages.run(Stages.RELEASE);
				break;
			default:
				throw new IllegalArgumentException(args[0]);
		}
	}
}
