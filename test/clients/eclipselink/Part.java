import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.GenerationType;
import javax.persistence.Id;
import javax.persistence.Table;
import javax.persistence.TableGenerator;

// docs: part
/** Takes blocks of ids from the row of the id sequence, as idgen itself does. */
@Entity
@Table(name = "parts")
public class Part {
	@Id
	@GeneratedValue(strategy = GenerationType.TABLE, generator = "parts")
	@TableGenerator(name = "parts", schema = "idgen", table = "id_sequences_by_last_id",
		pkColumnValue = "parts", allocationSize = 50)
	Long id;

	String item;
}
// docs: end
